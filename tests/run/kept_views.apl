⍝ What a filter goes by, and what it keeps, is computed in it where it is read through views, too; not where others read it,
⍝ or elements of it are replaced. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 12
i ← ⍳n
v ← ¯5+11|5×i×i
(1⌽v>0)/v
⍝→ 0 ¯4
(⌽v>0)/v
⍝→ ¯2 ¯5
⍸1⌽v>0
⍝→ 1 8
⍸(v>0),v<¯2
⍝→ 2 9 15 20 23
((v>0),v<¯2)/v,v
⍝→ 4 4 ¯4 ¯4 ¯5
q ← v⎕INT64DIV 4
(1,(1↓q)≠¯1↓q)/q
⍝→ 0 1 ¯1 1 0 ¯2 0
((≢v)↑0=2|7×⍳n-4)/v
⍝→ 4 ¯2 ¯1 ¯4
(v>0)/1⌽v×v
⍝→ 16 0
{(⍵>0)/⍵}⌽1+v
⍝→ 1 1 5 5 1
{(⍵>0)/⍵}(1+v),2×v
⍝→ 1 5 5 1 1 8 8
m ← 3 4⍴¯4+9|7×⍳n
(,m>0)/,m
⍝→ 3 1 4 2 3 1
(,m>0)/⍳×/⍴m
⍝→ 1 2 5 6 10 11
k ← 7|v×v
(k>3)/k
⍝→ 4 4 4
⌽k
⍝→ 0 4 0 2 2 4 1 1 4 2 2 0
h ← n×i
(⌽h)+h÷n
⍝→ 145 134 123 112 101 90 79 68 57 46 35 24
h[2] ← 9
h
⍝→ 12 9 36 48 60 72 84 96 108 120 132 144
