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
⍝ Elements that several operations compute, with whole strips, wide last ones and narrow ones: what is the same of rows and of columns
⍝ stands outside of these sums
m ← ⎕ArgInt 'm' 150
k ← (⎕ArgInt 'k' 63) 48 47 64 130 20
f ← {+/,(a+.×0.5×(⍳m)∘.×⍳⍵)≠(a+.×⍳m)∘.×0.5×⍳⍵}
⎕ ← f¨k
⍝→ 0 0 0 0 0 0
f ← {+/,(a⌊.+0.5×(-⍳m)∘.+⍳⍵)≠(⌊/a+(m m⍴-⍳m)÷2)∘.+0.5×⍳⍵}
⎕ ← f¨k
⍝→ 0 0 0 0 0 0
f ← {+/,(a⌈.+0.5×(-⍳m)∘.+⍳⍵)≠(⌈/a+(m m⍴-⍳m)÷2)∘.+0.5×⍳⍵}
⎕ ← f¨k
⍝→ 0 0 0 0 0 0
f ← {+/,1E¯12<|1-((a+.×⍳m)∘.÷⍳⍵)÷a+.×(⍳m)∘.÷⍳⍵}
⎕ ← f¨k
⍝→ 0 0 0 0 0 0
f ← {+/,1E¯9<|((+/a)∘.×1○⍳⍵)-a+.×1○(1+0×⍳m)∘.×⍳⍵}
⎕ ← f¨k
⍝→ 0 0 0 0 0 0
