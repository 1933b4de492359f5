⍝ What stands behind a check in a branch of a row is not done where the check does not hold, whatever stands between.
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 9
a ← 3 1 4 1 5
⎕ ← {⍵<4: 0 ⋄ x←a[⍵-3] ⋄ x++/⍳⍵}⍤0⊢⍳n⌊8
⍝→ 0 0 0 13 16 25 29 41
⎕ ← {⍵<4: 0 ⋄ x←a[⍵×1000000000000] ⋄ u←+\⍳⍵ ⋄ x++/u}⍤0⊢⍳n
⍝✗ irregular_guarded_check.apl:7:17:
⍝✗ INDEX ERROR: 4000000000000 of 5
