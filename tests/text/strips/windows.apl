⍝ run: emit --to=kernels -b c
⍝ windows: a sum of three by three cells is one of three columns, which neighbours share
n ← ⎕ArgInt 'n' 10
board ← (n n)⍴≠\0=3|⍳n×n
row ← (¯1⌽board)+board+1⌽board
⎕ ← 4=(¯1⊖row)+row+1⊖row
