⍝ Lengths that meet in a loop, behind what may fail: a version for equal ones, in which sums of elements are one pass.
a←⎕ReadIntVecFile 'data/lengths_a.txt'
b←⎕ReadIntVecFile 'data/lengths_b.txt'
c←⎕ReadDoubleVecFile 'data/lengths_c.txt'
o←⎕ReadIntVecFile 'data/lengths_one.txt'
d←1↓b
step←{r←9⍴0 ⋄ r[a]+←⍵[b]×a ⋄ r}
⎕←(step⍣2)⍳9
⍝→ 0 30 6 60 10 0 0 0 0
f←{9⍴(⍵[a]×⍵[b])+c}
⎕←⌊0.5+(f⍣3)9⍴÷4
⍝→ 21 26 27 61 66 63 30 229 21
g←{r←9⍴0 ⋄ r[a]+←⍵[b]+o ⋄ r}
⎕←(g⍣2)⍳9
⍝→ 20 45 21 45 21 10 0 0 10
h←{r←9⍴0 ⋄ r[a]+←⍵[d] ⋄ r}
⎕←(h⍣0)⍳9
⍝→ 1 2 3 4 5 6 7 8 9
⎕←(h⍣2)⍳9
⍝✗ lengths_loop.apl:16:12:
⍝✗ LENGTH ERROR: 7 and 8
