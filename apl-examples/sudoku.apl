⍝ Whether a square of digits is a solved sudoku: each row, column and block has every digit once.
⍝ test:
⍝ gives: 1
⍝ gives: 0

⍝ Shifting the digits by three a row, and by one a band, solves it.
grid ← 1+9|(¯1+⍳9)∘.+⍨(3×¯1+⍳9)+⌊(¯1+⍳9)÷3

rows   ← {∧/,(∨⌿⍤2)⍵∘.=⍳9}
blocks ← {9 9⍴1 3 2 4⍉3 3 3 3⍴⍵}
solved ← {(rows ⍵)∧(rows ⍉⍵)∧rows blocks ⍵}

⎕ ← solved grid
wrong ← grid
wrong[1;1 2] ← grid[1;2 1]
⎕ ← solved wrong
