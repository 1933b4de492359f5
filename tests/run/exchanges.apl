⍝ Rows that change places: one pass, in which an element of each is read before any is written. (A model in Python agrees.)
n ← ⎕ArgInt 'n' 7
k ← ⎕ArgInt 'k' 3
weigh ← {+/(,⍵)×⍳×/⍴⍵}
m ← (n,n)⍴23|(⍳n×n)×⍳n×n
old ← m
m[k 5;] ← m[5 k;]
⎕ ← weigh m
⍝→ 9130
⎕ ← weigh old
⍝→ 9144
m[k k;] ← m[1 2;]
⎕ ← weigh m
⍝→ 9199
⎕ ← m[k;]≡m[2;]
⍝→ 1
m[k 1 6;] ← m[6 k 1;]
⎕ ← weigh m
⍝→ 8387
m[2 4;] ← ⊖m[2 4;]
⎕ ← weigh m
⍝→ 8905
t ← m[;k] ⋄ m[;k] ← m[;5] ⋄ m[;5] ← t
⎕ ← weigh m
⍝→ 8915
m[;k 5] ← m[;5 k]
⎕ ← weigh m
⍝→ 8905
m[;5 k] ← m[;k 5]
⎕ ← weigh m
⍝→ 8915
c ← (4,k,2)⍴⍳8×k
c[1 4;;] ← c[4 1;;]
⎕ ← weigh c
⍝→ 2956
d ← c
c[;1 3;] ← c[;3 1;]
⎕ ← c≡d[;3 2 1;]
⍝→ 1
c[;k 2 1;] ← c[;1 k 2;]
⎕ ← c≡d[;2 1 3;]
⍝→ 1
s ← 3 5⍴'first','later','third'
s[1 3;] ← s[3 1;]
⎕ ← s
⍝→ third
⍝→ later
⍝→ first
⍝ A row that a reduction finds, which may be the one at work.
step ← {
    (m k) ← ⍵
    p ← (k-1)+⊃⍒(k-1)↓m[;k]
    m[k p;] ← m[p k;]
    m (k+1)
}
(r j) ← (step⍣n) m 1
⎕ ← weigh r
⍝→ 8243
⎕ ← 1 1⍉r
⍝→ 18 12 16 16 8 16 9
columns ← {
    (m k) ← ⍵
    p ← (k-1)+⊃⍒(k-1)↓m[k;]
    m[;k p] ← m[;p k]
    m (k+1)
}
(s j) ← (columns⍣n) (⍉m) 1
⎕ ← r≡⍉s
⍝→ 1
swaps ← {
    (m k) ← ⍵
    p ← (k-1)+⊃⍒(k-1)↓m[;k]
    t ← m[k;] ⋄ m[k;] ← m[p;] ⋄ m[p;] ← t
    m (k+1)
}
(q j) ← (swaps⍣n) m 1
⎕ ← q≡r
⍝→ 1
⍝ A row and a column that have an element in common: the later one has it.
m[k;] ← m[1;] ⋄ m[;2] ← m[;1]
⎕ ← weigh m
⍝→ 9660
⍝ Nine axes, extents of 1 and 0, complex rows.
h ← (9⍴2)⍴⍳512
h[1 2;;;;;;;;] ← h[2 1;;;;;;;;]
⎕ ← weigh h
⍝→ 28093184
g ← (4,(k-2),2,3)⍴⍳24
g[1 4;;;] ← g[4 1;;;]
⎕ ← weigh g
⍝→ 2956
e ← (4,(k-3),2)⍴0
e[1 4;;] ← e[4 1;;]
⎕ ← ⍴e
⍝→ 4 0 2
z ← 2 2⍴1J2 3 4 5J¯1
z[1 2;] ← z[2 1;]
⎕ ← z
⍝→ 4   5J¯1
⍝→ 1J2 3
m[2 n;] ← m[n,n+1;]
⍝✗ exchanges.apl:101:11:
⍝✗ INDEX ERROR: 8 of 7
