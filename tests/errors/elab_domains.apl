⍝ Arguments outside of the domain of ?, known at compile time.
¯1?5
6?5
