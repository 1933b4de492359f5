⍝ Characters in and out, random numbers, and a line of the library's own on standard output.
text ← ⎕ReadFile 'text.txt'
⎕ ← ⌽text
⎕ ← 2 2⍴text
⎕ ← ?1000000
