⍝ Rows of arrays of three and four axes, all together: sorts, loops that rows end, and what is of the axes around them.
n ← ⎕ArgInt 'n' 2
m ← ⎕ArgInt 'm' 2
k ← ⎕ArgInt 'k' 5
r ← (n,m,k)⍴7 3 9 1 4 8 2
sorts ← {⍵[⍋⍵]}⍤1
⎕ ← sorts r
⍝→ 1 3 4 7 9
⍝→ 2 3 7 8 9
⍝→
⍝→ 1 2 4 7 8
⍝→ 1 3 4 8 9
⎕ ← ⍴sorts (1,n,m,k)⍴r
⍝→ 1 2 2 5
⎕ ← {{⌊⍵÷2}⍣≡⍵}⍤1 ⊢r
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
⍝→
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
⎕ ← ({b←⌈/,⍵ ⋄ ({⍵[⍋b-⍵]}⍤1) ⍵}⍤2) r
⍝→ 9 7 4 3 1
⍝→ 9 8 7 3 2
⍝→
⍝→ 8 7 4 2 1
⍝→ 9 8 4 3 1
⎕ ← ({≢∪2|⍵}⍤1) r
⍝→ 2 2
⍝→ 2 2
⍝ A loop whose state is a matrix.
⎕ ← ({⌊⍵÷2}⍣≡⍤2) r
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
⍝→
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
⎕ ← +/,({⌊(⍵+1⌽⍵)÷2}⍣≡⍤2) r
⍝→ 65
⍝ Loops, sorts and scans in branches of rows.
f ← {c←4|⍵[1] ⋄ c<2: {⌊(⍵+c⌽⍵)÷2}⍣c⊢2×⍵ ⋄ c>2: ⍵[⍋⍵] ⋄ +\⍵}
⎕ ← (f⍤1) (5 5)⍴7 3 9 1 4 8 2
⍝→  1  3  4  7  9
⍝→ 16  4 14  6 18
⍝→  5 12 10  9  8
⍝→  1  3  4  8  9
⍝→  2  9 12 21 22
⎕ ← (f⍤1) (5,k)⍴7 3 9 1 4 8 2
⍝→  1  3  4  7  9
⍝→ 16  4 14  6 18
⍝→  5 12 10  9  8
⍝→  1  3  4  8  9
⍝→  2  9 12 21 22
