⍝ In a loop, rows and columns of a matrix become others of it, turned, written backwards or as they are, and parts of
⍝ those: only what is moved is copied. (Python says the same.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 6
m ← (n n)⍴⍳n×n
turn ← {(m k)←⍵ ⋄ m[k+1;]←¯1⌽m[k;] ⋄ m (k+1)}
(t k) ← (turn⍣(n-1))m 1
⎕ ← t
⍝→ 1 2 3 4 5 6
⍝→ 6 1 2 3 4 5
⍝→ 5 6 1 2 3 4
⍝→ 4 5 6 1 2 3
⍝→ 3 4 5 6 1 2
⍝→ 2 3 4 5 6 1
columns ← {(m k)←⍵ ⋄ m[;k+1]←⌽m[;k] ⋄ m (k+1)}
(t k) ← (columns⍣(n-1))m 1
⎕ ← t
⍝→  1 31  1 31  1 31
⍝→  7 25  7 25  7 25
⍝→ 13 19 13 19 13 19
⍝→ 19 13 19 13 19 13
⍝→ 25  7 25  7 25  7
⍝→ 31  1 31  1 31  1
swap ← {(m k)←⍵ ⋄ t←m[;k] ⋄ m[;k]←m[;1] ⋄ m[;1]←t ⋄ m (k+1)}
(t k) ← (swap⍣n)m 1
⎕ ← t[1;]
⍝→ 6 1 2 3 4 5
edges ← {u←⍵ ⋄ u[1;]←u[2;] ⋄ u[n;]←u[n-1;] ⋄ u[;1]←u[;2] ⋄ u[;n]←u[;n-1] ⋄ (u+1⌽u)-¯1⊖u}
⎕ ← (edges⍣3)m
⍝→ ¯20 ¯19 ¯19 ¯19 ¯19 ¯20
⍝→  10  11  11  11  11  10
⍝→  58  59  59  59  59  58
⍝→  34  35  35  35  35  34
⍝→  46  47  47  47  47  46
⍝→  40  41  41  41  41  40
