⍝ A matrix, and beside it columns that are computed from it: each part of the rows of the whole is written by its own
⍝ kernel, also where rows are read, are turned, or are planes of an array of rank 3.
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 3
v←⍳n+1
m←(n,n+1)⍴⍳n×n+1
q←(2,n,n+1)⍴⍳2×n×n+1
s←2 ⎕ReadNpyInt 'data/square.npy'
⍝ sums of rows behind the rows, before them, and something on both sides
⎕←m,+/m
⍝→ 1  2  3  4 10
⍝→ 5  6  7  8 26
⍝→ 9 10 11 12 42
⎕←(+/m),m
⍝→ 10 1  2  3  4
⍝→ 26 5  6  7  8
⍝→ 42 9 10 11 12
⎕←(+/m),m,⌈/m
⍝→ 10 1  2  3  4  4
⍝→ 26 5  6  7  8  8
⍝→ 42 9 10 11 12 12
⍝ planes
⎕←q,+/q
⍝→  1  2  3  4 10
⍝→  5  6  7  8 26
⍝→  9 10 11 12 42
⍝→
⍝→ 13 14 15 16 58
⍝→ 17 18 19 20 74
⍝→ 21 22 23 24 90
⎕←q,[2]+/[2]q
⍝→  1  2  3  4
⍝→  5  6  7  8
⍝→  9 10 11 12
⍝→ 15 18 21 24
⍝→
⍝→ 13 14 15 16
⍝→ 17 18 19 20
⍝→ 21 22 23 24
⍝→ 51 54 57 60
⍝ turned as a whole, or the column alone
⎕←⌽m,+/m
⍝→ 10  4  3  2 1
⍝→ 26  8  7  6 5
⍝→ 42 12 11 10 9
⎕←m,⌽+/m
⍝→ 1  2  3  4 42
⍝→ 5  6  7  8 26
⍝→ 9 10 11 12 10
⍝ a product of matrix and vector
⎕←m,m+.×v
⍝→ 1  2  3  4  30
⍝→ 5  6  7  8  70
⍝→ 9 10 11 12 110
⍝ rows of which nothing is known but that they are read
⎕←s,+/s
⍝→ 1 ¯2 ¯1
⍝→ 3  4  7
⎕←(⌊/s),s,⌈/s
⍝→ ¯2 1 ¯2 1
⍝→  3 3  4 4
⎕←⌽s,⌽+/s
⍝→  7 ¯2 1
⍝→ ¯1  4 3
⎕←s⍪+⌿s
⍝→ 1 ¯2
⍝→ 3  4
⍝→ 4  2
