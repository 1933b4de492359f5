⍝ What is read through a rotation is computed from rotations: the places near both ends go round twice, and more often where
⍝ there are few rows. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 67
sum ← {+/⍵×1+5|¯1+⍳≢⍵}
slope ← {(1⌽⍵)-⍵}
flux ← {s ← slope ⍵ ⋄ 1+⍵+(3|s)×2|¯1⌽s}
step ← {f ← flux ⍵ ⋄ 101|⍵+f-¯2⌽f}
of ← {sum step⍣3⊢7|i×i←⍳⍵}
⎕ ← (of n-66)(of n-65)(of n-64)(of n-63)(of n-62)(of n-61)(of n)
⍝→ 1 9 181 488 436 525 9066
matrix ← {+/,⍵×(⍴⍵)⍴13|⍳×/⍴⍵}
plane ← {matrix{f ← (3|1⊖⍵)×¯1⌽⍵ ⋄ 101|⍵+(1⌽f)-¯1⊖f}⍣3⊢⍵⍴11|⍳×/⍵}
⎕ ← (plane 1,n-66)(plane (n-65),3)(plane 3,n-65)(plane 10,n-55)
⍝→ 1 447 1231 25707
