⍝ In the first step of a loop an element is not there, which is found before lengths that differ.
a←⎕ReadIntVecFile 'data/lengths_a.txt'
d←1↓⎕ReadIntVecFile 'data/lengths_b.txt'
h←{r←9⍴0 ⋄ r[a]+←⍵[d] ⋄ ⎕←r ⋄ r}
⎕←(h⍣0)⍳7
⍝→ 1 2 3 4 5 6 7
⎕←(h⍣2)⍳7
⍝✗ lengths_loop_error.apl:4:18:
⍝✗ INDEX ERROR: 8 of 7
