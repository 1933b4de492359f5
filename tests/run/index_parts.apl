⍝ Positions that go up by equal steps are read as a part of the array, with one check: rows and columns, steps, parts that begin
⍝ where a number of run time says, dropped from the front and the back, empty ones wherever they begin, complex numbers.
n ← ⎕ArgInt 'n' 5
k ← ⎕ArgInt 'k' 2
v ← 10×⍳n
m ← (n,4)⍴⍳4×n
⎕ ← v[1+⍳n-2]
⍝→ 20 30 40
⎕ ← v[k↓⍳n]
⍝→ 30 40 50
⎕ ← v[(-k)↓⍳n]
⍝→ 10 20 30
⎕ ← ⍴v[(k+n)↓⍳n]
⍝→ 0
⎕ ← v[(2×⍳k)-1]
⍝→ 10 30
⎕ ← ⍴v[100+⍳k-2]
⍝→ 0
⎕ ← m[k↓⍳n;2×⍳2]
⍝→ 10 12
⍝→ 14 16
⍝→ 18 20
⎕ ← m[k;1+⍳k]
⍝→ 6 7
⎕ ← m[k↓⍳n;k]
⍝→ 10 14 18
⎕ ← m[n 1;⍳k]
⍝→ 17 18
⍝→  1  2
⎕ ← (k⍴v×0J1)[⍳k]
⍝→ 0J10 0J20
⍝ one after the other: each reads what the one before has left
f ← {(a i) ← ⍵ ⋄ r ← i↓⍳n ⋄ a[r] +← a[i] ⋄ a (i+1)}
(a i) ← f⍣(n-1)⊢(⍳n) 1
⎕ ← a
⍝→ 1 3 7 15 31
g ← {(a i) ← ⍵ ⋄ r ← i↓⍳n ⋄ a[r;1+⍳3] ← a[r;⍳3] ⋄ a (i+1)}
(a i) ← g⍣(n-1)⊢m 1
⎕ ← a
⍝→  1  2  3  4
⍝→  5  5  6  7
⍝→  9  9  9 10
⍝→ 13 13 13 13
⍝→ 17 17 17 17
