⍝ Cells that have room one by one, but not all together: 2*50 elements.
n←⎕ArgInt 'n' 33554432
k←⎕ArgInt 'k' 3
⎕←+/,{k⍴⍵}⍤0⊢k⍴1
⍝→ 9
⎕←+/,{n⍴⍵}⍤0⊢n⍴1
⍝✗ limit_cells.apl:6:11: LIMIT ERROR: too many elements
