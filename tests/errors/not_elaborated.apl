⍝ Constructs that are parsed but not elaborated yet are named.
⎕←⍎⍕3
⎕←2⊂⍳4
⎕←(+⍤1)2 2⍴⍳4
