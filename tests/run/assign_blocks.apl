⍝ Positions that go up by equal steps, and parts that ↑ and ↓ select, are blocks of the array: of vectors, matrices and
⍝ more, with scalars, with values of axes of length 1, by functions, over and over.
n ← ⎕ArgInt 'n' 5
k ← ⎕ArgInt 'k' 2
u ← n n⍴⍳n×n
u[1+⍳n-2;1+⍳n-2] ← 0
⎕ ← u
⍝→  1  2  3  4  5
⍝→  6  0  0  0 10
⍝→ 11  0  0  0 15
⍝→ 16  0  0  0 20
⍝→ 21 22 23 24 25
u[1+⍳n-2;1+⍳n-2] ← (1+⍳n-2)∘.×⍳n-2
⎕ ← u
⍝→  1  2  3  4  5
⍝→  6  2  4  6 10
⍝→ 11  3  6  9 15
⍝→ 16  4  8 12 20
⍝→ 21 22 23 24 25
(1 1↓¯1 ¯1↓u) ← 100+(1 1↓¯1 ¯1↓u)
⎕ ← u
⍝→  1   2   3   4  5
⍝→  6 102 104 106 10
⍝→ 11 103 106 109 15
⍝→ 16 104 108 112 20
⍝→ 21  22  23  24 25
u[1+⍳n-2;] ← 3 5⍴⍳15
⎕ ← u
⍝→  1  2  3  4  5
⍝→  1  2  3  4  5
⍝→  6  7  8  9 10
⍝→ 11 12 13 14 15
⍝→ 21 22 23 24 25
u[;2×⍳k] ×← 10
⎕ ← u
⍝→  1  20  3  40  5
⍝→  1  20  3  40  5
⍝→  6  70  8  90 10
⍝→ 11 120 13 140 15
⍝→ 21 220 23 240 25
(3 3↑u) ← ¯1
⎕ ← u
⍝→ ¯1  ¯1 ¯1  40  5
⍝→ ¯1  ¯1 ¯1  40  5
⍝→ ¯1  ¯1 ¯1  90 10
⍝→ 11 120 13 140 15
⍝→ 21 220 23 240 25
u[2;1+⍳n-2] ← 7 8 9
u[1+⍳n-2;5] -← 1
⎕ ← u
⍝→ ¯1  ¯1 ¯1  40  5
⍝→ ¯1   7  8   9  4
⍝→ ¯1  ¯1 ¯1  90  9
⍝→ 11 120 13 140 14
⍝→ 21 220 23 240 25
⍝ vectors; the old array stays; nothing is assigned where there are no positions, wherever these begin
v ← n+⍳n
w ← v
w[1+⍳n-2] ← 3 4 5
w[10+⍳n-5] ← 1
⎕ ← v ⋄ ⎕ ← w
⍝→ 6 7 8 9 10
⍝→ 6 3 4 5 10
(1↓w) +← 1.5
(¯2↓w) ← 0
(2↑3↓w) ÷← 4
⎕ ← w
⍝→ 0 0 0 1.625 2.875
x ← (⌈n×3)⍴'.'
x[(3×⍳n)-1] ← 'x'
⎕ ← x
⍝→ .x..x..x..x..x.
⍝ known positions, of which there are more than a few, and an array of one less axis
y ← 12⍴0
y[2+⍳10] ← ⍳10
y[2×⍳5] +← 100
⎕ ← y
⍝→ 0 100 1 102 3 104 5 106 7 108 9 10
t ← 2 3 4⍴⍳24
t[k;⍳n-3;1+⍳k] ← 0
⎕ ← t
⍝→  1  2  3  4
⍝→  5  6  7  8
⍝→  9 10 11 12
⍝→
⍝→ 13  0  0 16
⍝→ 17  0  0 20
⍝→ 21 22 23 24
⍝ steps of a grid but for its border: heat that spreads
g ← n n⍴0
g[3;3] ← 256
spread ← {r←⍵ ⋄ r[1+⍳n-2;1+⍳n-2]←(⍵[⍳n-2;1+⍳n-2]+⍵[2+⍳n-2;1+⍳n-2]+⍵[1+⍳n-2;⍳n-2]+⍵[1+⍳n-2;2+⍳n-2])÷4 ⋄ r}
⎕ ← (spread⍣3)g
⍝→ 0  0  0  0 0
⍝→ 0  0 32  0 0
⍝→ 0 32  0 32 0
⍝→ 0  0 32  0 0
⍝→ 0  0  0  0 0
⍝ a loop that writes another part each time
steps ← {m←⍵ ⋄ m[1+⍳n-2]←(⍳n-2)+m[⍳n-2] ⋄ m}
⎕ ← (steps⍣k)⍳n
⍝→ 1 2 4 7 5
⍝ complex numbers
z ← 4⍴1J1
z[1+⍳k] ← 2J3 4
⎕ ← z
⍝→ 1J1 2J3 4 1J1
⍝ a plate whose borders are kept: all of it is one map
plate ← {w←0.25×(1⌽⍵)+(¯1⌽⍵)+(1⊖⍵)+¯1⊖⍵ ⋄ w[1;]←8 ⋄ w[n;]←0 ⋄ w[;1]←4 ⋄ w[;n]←⍳n ⋄ w}
⎕ ← (plate⍣k)n n⍴0
⍝→ 4 8 8 8    1
⍝→ 4 3 2 2.5  2
⍝→ 4 1 0 0.75 3
⍝→ 4 1 0 1    4
⍝→ 4 0 0 0    5
