⍝ Sums over windows of a torus, of bools and of integers, which sequential C computes by columns: Life on boards of
⍝ several sizes, and windows of five by three. A model in Python agrees.
life ← {
    row  ← (¯1⌽⍵)+⍵+1⌽⍵
    area ← (¯1⊖row)+row+1⊖row
    (area=3)∨⍵∧area=4
}
wide ← {
    row ← (¯2⌽⍵)+(¯1⌽⍵)+⍵+(1⌽⍵)+2⌽⍵
    (¯1⊖row)+row+1⊖row
}
try ← {
    n ← ⍵
    i ← ⍳n×n
    board ← (n n)⍴300>1009|i×5+i×i
    squares ← (n n)⍴17|i×i
    next ← life life life board
    sums ← wide squares
    (+/,next) (+/,next×(n n)⍴i) (+/,sums) (⌈/,sums) (+/,sums×(n n)⍴i)
}
k ← ⎕ArgInt 'k' 0
⎕ ← try 1+k
⍝→ 0 0 15 15 15
⎕ ← try 2+k
⍝→ 0 0 450 146 1040
⎕ ← try 3+k
⍝→ 0 0 1215 138 6099
⎕ ← try 4+k
⍝→ 3 33 2040 143 17340
⎕ ← try 5+k
⍝→ 10 114 3060 150 36955
⎕ ← try 33+k
⍝→ 341 178057 130575 171 71061171
⎕ ← try 70+k
⍝→ 1545 3714741 587970 170 1439961560
⎕ ← try 131+k
⍝→ 5102 43634400 2059380 159 17673085728
