⍝ The first row that fails in a loop tells what is wrong, although a later row fails in an earlier step: row 2 in its fourth,
⍝ row 4 in its first. (Row 2 begins with 1 and goes to 5, 9 and 13; row 4 with 20.)
n ← ⎕ArgInt 'n' 6
m ← ⎕ArgInt 'm' 12
w ← (n m)⍴4+⍳m
w[4;1] ← 20
w[1 3 5 6;] ← 1
f ← {row←⍵ ⋄ (⌈/row)+{row[⍵]+⌊/0⌊row-⍵⌊1}⍣4⊢(1+19×20=⊃row)}
⎕ ← +/(f⍤1) w
⍝✗ row_checks_steps.apl:8:23:
⍝✗ INDEX ERROR: 13 of 12
