⍝ Sums of the rows and of the columns of a matrix with `columns` columns.
columns ← ⎕ArgInt 'columns' 2
m ← ⎕ReadIntVecFile 'data/numbers.txt'
m ← ((⌊(≢m)÷columns),columns)⍴m
⎕ ← +/m
⎕ ← +⌿m
⎕ ← m
