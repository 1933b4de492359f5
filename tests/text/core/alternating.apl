⍝ run: emit --to=core
⍝ -/ is a sum of items that alternate in sign; ÷/ multiplies and divides pieces of odd and even length.
n ← ⎕ArgInt 'n' 5
v ← 1.0×⍳n
-/v
÷/v
