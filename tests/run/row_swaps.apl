⍝ Gauss and Jordan's elimination: rows change places by way of a name, and the matrix is not copied for that; 2y+z is ¯8,
⍝ x-2y-3z is 0, and -x+y+2z is 3, in this order, so that each step looks for its row.
solve ← {
  step ← {
    k ← ⍺ ⋄ a ← ⍵
    p ← ¯1+k+⊃⍒|(k-1)↓a[;k]
    t ← a[k;] ⋄ a[k;] ← a[p;] ⋄ a[p;] ← t
    a[k;] ← a[k;]÷a[k;k]
    r ← a[k;]
    a-(a[;k]×k≠⍳≢a)∘.×r
  }
  (k a) ← {(i b) ← ⍵ ⋄ (i+1)(i step b)}⍣(≢⍵)⊢(1 ⍵)
  a[;≢⍉a]
}
⎕ ← solve 3 4⍴0 2 1 ¯8 1 ¯2 ¯3 0 ¯1 1 2 3
⍝→ ¯4 ¯5 2
n ← ⎕ArgInt 'n' 4
m ← n n⍴⍳n×n
⎕ ← {a ← ⍵ ⋄ t ← a[1;] ⋄ a[1;] ← a[n;] ⋄ a[n;] ← t+a[1;] ⋄ a}⍣3⊢m
⍝→ 27 30 33 36
⍝→  5  6  7  8
⍝→  9 10 11 12
⍝→ 41 46 51 56
