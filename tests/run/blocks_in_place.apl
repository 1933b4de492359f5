⍝ What is assigned to a block is made where it goes: LU decomposition, in loops, in branches, in loops that a result ends; and what
⍝ reads other places of the block is stored first.
n ← ⎕ArgInt 'n' 4
step ← {(a k) ← ⍵ ⋄ r ← k↓⍳n ⋄ a[r;k] ÷← a[k;k] ⋄ a[r;r] -← a[r;k]∘.×a[k;r] ⋄ a (k+1)}
low ← (⍳n)∘.≥⍳n
m ← (low×1+(⍳n)∘.=⍳n)+.×⍉low×(⍳n)∘.×n⍴2
(l k) ← step⍣(n-1)⊢m 1
⎕ ← +/,|m-((l×(⍳n)∘.>⍳n)+(⍳n)∘.=⍳n)+.×l×(⍳n)∘.≤⍳n
⍝→ 0
⎕ ← l
⍝→ 4   8   12   16
⍝→ 0.5 8   12   16
⍝→ 0.5 0.5 12   16
⍝→ 0.5 0.5  0.5 16
v ← ⍳n+4
(w k) ← {(w k) ← ⍵ ⋄ w[k+⍳n] ×← 2 ⋄ w (k+1)}⍣3⊢v 1
⎕ ← w
⍝→ 1 4 12 32 40 24 14 8
⍝ each place is what its neighbour was before
(w k) ← {(w k) ← ⍵ ⋄ w[k+⍳n] ← 10×w[(k-1)+⍳n] ⋄ w (k+1)}⍣2⊢v 1
⎕ ← w
⍝→ 1 10 100 200 300 400 7 8
(w k) ← {(w k) ← ⍵ ⋄ w[k+⍳n] ← ⌽w[k+⍳n] ⋄ w (k+1)}⍣2⊢v 1
⎕ ← w
⍝→ 1 5 6 2 3 4 7 8
b ← (n,n)⍴⍳n×n
⎕ ← {c ← ⍵ ⋄ c[1+⍳n-1;1+⍳n-1] -← ⍉c[1+⍳n-1;1+⍳n-1] ⋄ c}b
⍝→  1 2  3  4
⍝→  5 0 ¯3 ¯6
⍝→  9 3  0 ¯3
⍝→ 13 6  3  0
⍝ in branches that a result chooses, and in a loop that one ends, of many steps
(w k) ← {(w k) ← ⍵ ⋄ w ← {(+/⍵)<100:{⍵ ⊣ ⍵}{x ← ⍵ ⋄ x[1+⍳n] +← 10 ⋄ x}⍵ ⋄ x ← ⍵ ⋄ x[⍳n] -← 1 ⋄ x}w ⋄ w (k+1)}⍣4⊢v 1
⎕ ← w
⍝→ ¯1 20 21 22 25 6 7 8
⎕ ← {w ← ⍵ ⋄ w[1+⍳n] ← 90⌊1+w[1+⍳n] ⋄ w}⍣≡v
⍝→ 1 90 90 90 90 6 7 8
⎕ ← {w ← ⍵ ⋄ w[1+⍳n] +← 3 ⋄ w}⍣{400<+/⍺}⊢v
⍝→ 1 95 96 97 98 6 7 8
