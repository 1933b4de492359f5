⍝ Of rows that fail in different parts of a function the first tells what is wrong, although a later one fails in an earlier
⍝ part: row 3 has its sum's position out of bounds, row 5 its first number.
n ← ⎕ArgInt 'n' 40
m ← ⎕ArgInt 'm' 30
w ← (n m)⍴1+m|7×⍳n×m
w[5;1] ← 99
w[3;] ← m+3
w[3;1] ← 1
f ← {x←⍵[⊃⍵] ⋄ s←⌊(+/⍵)÷m ⋄ y←⍵[s] ⋄ (+\⍵)+x+y}
⎕ ← 'before'
⎕ ← +/,(f⍤1) w
⍝→ before
⍝✗ row_checks_first.apl:9:31:
⍝✗ INDEX ERROR: 31 of 30
