⍝ Large matrices that are read turned go by blocks: last blocks of a few rows and columns, sums, least and greatest, and one beside
⍝ another, of sizes that only run time knows
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 515
k ← n+31
m ← ⌷(n,k)⍴⍳n×k
t ← ⌷⍉m
t[1 2,k;1 2,n]
⍝→   1  547 280645
⍝→   2  548 280646
⍝→ 546 1092 281190
q ← ⌷(n,n)⍴⍳n×n
+/,q×⍉q
⍝→ 4670339818571525
(⌊/,q-3×⍉q),⌈/,q-3×⍉q
⍝→ ¯793618 263166
r ← ⌷(⍉m)-0.5×(k,n)⍴⍳n×k
r[1 2,k;1,n]
⍝→       0.5 280387.5
⍝→    ¯256   280131
⍝→ ¯139792   140595
(1E6|+/,r×2),⌈/,⌷(⍉m)⌈⍉⌽m
⍝→ 48645 281190
