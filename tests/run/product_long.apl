⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_WORK_ITEMS=100000
⍝ Products with few results, each of many rows: they are cut into pieces.
n ← 1501
x ← (n 48)⍴(1000|7×⍳n×48)-500
y ← (n 60)⍴(100|11×⍳n×60)-50
g ← (⍉x)+.×y
⎕ ← ⍴g
⍝→ 48 60
⎕ ← (+/,g)=+/(+/x)×+/y
⍝→ 1
⎕ ← g[48;60]=+/x[;48]×y[;60]
⍝→ 1
⎕ ← g[1;1]=+/x[;1]×y[;1]
⍝→ 1
⍝ Not only sums, and with something before and behind them.
m ← 3+2×(⍉x)⌈.-y
⎕ ← m[48;60]=3+2×⌈/x[;48]-y[;60]
⍝→ 1
⎕ ← m[7;8]=3+2×⌈/x[;7]-y[;8]
⍝→ 1
