⍝ Diagonals of matrices that are not square are modified: each processor's share of places lies in its own memory.
k ← ⎕ArgInt 'k' 2
n ← ⎕ArgInt 'n' 4
z ← (k,n)⍴⍳k×n
(1 1⍉z) +← 5
⎕ ← z
⍝→ 6  2 3 4
⍝→ 5 11 7 8
z ← (n,k)⍴⍳k×n
(1 1⍉z) ⌈← 3
⎕ ← z
⍝→ 3 2
⍝→ 3 4
⍝→ 5 6
⍝→ 7 8
