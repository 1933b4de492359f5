⍝ sums over matrices of computed elements, of many and few rows, long and short ones
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 64
m←⎕ArgInt 'm' 70
⍝ each element with those at its right and below, round the edges: three times the sum of all
ring←{(⍵+1⌽⍵)+1⊖⍵}
f←{a←⍺∘.×⍵ ⋄ +/,ring a}
⍝ 3 × (+/⍳n) × +/⍳m
⎕←((⍳n)f⍳m)(3×(+/⍳n)×+/⍳m)
⍝→ 15506400 15506400
⎕←((⍳n-1)f⍳m)(3×(+/⍳n-1)×+/⍳m)
⍝→ 15029280 15029280
⎕←((⍳n)f⍳m-7)(3×(+/⍳n)×+/⍳m-7)
⍝→ 12579840 12579840
⎕←((⍳n×3)f⍳m×2)(3×(+/⍳n×3)×+/⍳m×2)
⍝→ 548614080 548614080
⍝ the greatest, and where all are compared with the neighbour below
b←(n×2)m⍴(⍳n)∘.+⍳m
⎕←(⌈/,b+1⊖b),(+/,b<1⊖b),+/,b=1⊖b
⍝→ 267 8820 0
