⍝ An extent of what ⍤ gives, computed in front of the rows, with a position that is not there.
n←⎕ArgInt 'n' 3
k←⍳n
⎕←{k[2]↑⍵}⍤1⊢2 3⍴⍳6
⍝→ 1 2
⍝→ 4 5
⎕←{k[5]↑⍵}⍤1⊢2 3⍴⍳6
⍝✗ cells_extents_error.apl:7:4: INDEX ERROR: 5 of 3
