⍝ Numbers from files, separated by blanks, line ends or commas.
v←⎕ReadIntVecFile 'data/ints.txt'
⎕←v
⍝→ 3 1 4 1 5 ¯9
⎕←+/v
⍝→ 5
⎕←⎕ReadDoubleVecFile 'data/reals.txt'
⍝→ 0.5 1.25 ¯2000 ¯1.5
