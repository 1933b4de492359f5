⍝ Rotations of stored arrays by few places: loops of sequential programs are split where they go round, and may go round
⍝ more than once where there are fewer rows. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 67
k ← ⎕ArgInt 'k' 2
step ← {(1⌽⍵)+(2×¯2⌽⍵)+(3×3⌽⍵)+(5×¯65⌽⍵)-¯1⌽⍵}
sum ← {+/⍵×1+5|¯1+⍳≢⍵}
of ← {sum step⍣k⊢7|i×i←⍳⍵}
⎕ ← (of n-67)(of n-66)(of n-65)(of n-64)(of n-63)(of n-62)(of n)
⍝→ 0 100 804 1362 2264 3825 39872
matrix ← {+/,⍵×(⍴⍵)⍴13|⍳×/⍴⍵}
plane ← {matrix{(1⌽⍵)+(2×¯1⌽⍵)+(¯1⊖⍵)-2⊖⍵}⍣(k+1)⊢⍵⍴11|⍳×/⍵}
⎕ ← (plane 1,k-1)(plane k,3)(plane 3,k)(plane 10,n-55)
⍝→ 27 1998 2376 104393
