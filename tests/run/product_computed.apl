⍝ Products of matrices that are computed, as large as several tiles: sums of all elements from sums of columns and rows.
n ← 150
a ← (n n)⍴17|7×⍳n×n
b ← (n n)⍴(13|5×⍳n×n)-6
⎕ ← (+/,a+.×b)=+/(+⌿a)×+/b
⍝→ 1
c ← a+.×b
⎕ ← c[1;1]=+/a[1;]×b[;1]
⍝→ 1
⎕ ← c[150;149]=+/a[150;]×b[;149]
⍝→ 1
h ← ÷(⍳n)∘.+¯1+⍳n            ⍝ Hilbert's matrix
r ← h+.×(⍳n)∘.=⍳n            ⍝ times the identity
⎕ ← h≡r
⍝→ 1
