⍝ run: emit --to=c
⍝ C: sums of columns are bytes, in vectors of 32
n ← ⎕ArgInt 'n' 10
board ← (n n)⍴≠\0=3|⍳n×n
row ← (¯1⌽board)+board+1⌽board
⎕ ← 4=(¯1⊖row)+row+1⊖row
