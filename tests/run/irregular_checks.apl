⍝ What is only checked is checked for each element, also where nothing is made of it.
a ← 3 1 4 1 5
⎕ ← {w←⍳⍵ ⋄ u←a[w] ⋄ ≢w}⍤0⊢3 2 4
⍝→ 3 2 4
⎕ ← {w←⍳⍵ ⋄ u←a[2×w] ⋄ 0}⍤0⊢1 2 4
⍝✗ irregular_checks.apl:5:15:
⍝✗ INDEX ERROR: 6 of 5
