⍝ Results that are written from their end, in another order, or by one of several branches: no two work-items write
⍝ one element, also where it is data that choose the branch.
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 3
v←5 ¯9 2 1 ¯4×1+0×n
m←(n,n+1)⍴⍳n×n+1
q←(2,n,n+1)⍴⍳2×n×n+1
⍝ scans of columns and of rows, turned
⎕←⌽[2]+\[2]1+q
⍝→ 18 21 24 27
⍝→  8 10 12 14
⍝→  2  3  4  5
⍝→
⍝→ 54 57 60 63
⍝→ 32 34 36 38
⍝→ 14 15 16 17
⎕←⌽+\1+q
⍝→ 14  9  5  2
⍝→ 30 21 13  6
⍝→ 46 33 21 10
⍝→
⍝→ 62 45 29 14
⍝→ 78 57 37 18
⍝→ 94 69 45 22
⎕←m,⌽+\m
⍝→ 1  2  3  4 10  6  3 1
⍝→ 5  6  7  8 26 18 11 5
⍝→ 9 10 11 12 42 30 19 9
⍝ planes as vectors, transposed
⎕←({,⍉1+⍵}⍤2)q
⍝→  2  6 10  3  7 11  4  8 12  5  9 13
⍝→ 14 18 22 15 19 23 16 20 24 17 21 25
⍝ branches that a sum chooses in each step
⎕←{(+/⍵)>0:1⌽1+⍵ ⋄ ⌽⍵}⍣n⊢v
⍝→ ¯4 1 2 ¯9 5
⎕←{(+/⍵)>0:1⌽1+⍵ ⋄ ⌽⍵}⍣n⊢v+4
⍝→ 8 3 12 ¯2 9
⎕←{(+/⍵)>20:⍵-9 ⋄ (+/⍵)<0:¯1⌽⍵ ⋄ 2+⌽⍵}⍣(2×n)⊢v+4
⍝→ ¯2 ¯1 ¯12 2 ¯7
⎕←{(+/,⍵)>0:1⊖1+⍵ ⋄ ⌽⍵}⍣n⊢m
⍝→  4  5  6  7
⍝→  8  9 10 11
⍝→ 12 13 14 15
⎕←{(+/,⍵)>0:1⊖1+⍵ ⋄ ⌽⍵}⍣n⊢m-20
⍝→ ¯16 ¯17 ¯18 ¯19
⍝→ ¯12 ¯13 ¯14 ¯15
⍝→  ¯8  ¯9 ¯10 ¯11
