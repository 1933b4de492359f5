⍝ Selective assignment: what functions that select say of the positions is assigned.
v←3 ¯1 4 ¯1 5 ¯9
((v<0)/v)←0
v
⍝→ 3 0 4 0 5 0
(2↑v)←7 8
v
⍝→ 7 8 4 0 5 0
(¯2↑v)+←1 2
v
⍝→ 7 8 4 0 6 2
((v>6)/v)×←10
v
⍝→ 70 80 4 0 6 2
(⊃v)←¯1
(⊃⌽v)←¯2
(2⊃v)-←1
v
⍝→ ¯1 79 4 0 6 ¯2
(1↓¯1↓v)←⍳4
v
⍝→ ¯1 1 2 3 4 ¯2
(⌽v)←⍳6
v
⍝→ 6 5 4 3 2 1
(2|v)/v
⍝→ 5 3 1
⍝ Counts select a place several times: the last value wins, and f is applied for each.
(0 2 0 0 1 0/v)←10 20 30
v
⍝→ 6 20 4 3 30 1
(0 2 0 0 1 0/v)+←1
v
⍝→ 6 22 4 3 31 1
m←3 4⍴⍳12
(1 1⍉m)←0
m
⍝→ 0  2 3  4
⍝→ 5  0 7  8
⍝→ 9 10 0 12
(,m)←⌽⍳12
m
⍝→ 12 11 10 9
⍝→  8  7  6 5
⍝→  4  3  2 1
(1 0 1⌿m)←9
m
⍝→ 9 9 9 9
⍝→ 8 7 6 5
⍝→ 9 9 9 9
(0 1 1 0/m)←3 2⍴⍳6
m
⍝→ 9 1 2 9
⍝→ 8 3 4 5
⍝→ 9 5 6 9
(2 2↑m)←2 2⍴¯1 ¯2
m
⍝→ ¯1 ¯2 2 9
⍝→ ¯1 ¯2 4 5
⍝→  9  5 6 9
(2↑m[3;])←55 66
m
⍝→ ¯1 ¯2 2 9
⍝→ ¯1 ¯2 4 5
⍝→ 55 66 6 9
((,m<0)/,m)←0
m
⍝→  0  0 2 9
⍝→  0  0 4 5
⍝→ 55 66 6 9
(⍉m)←4 3⍴⍳12
m
⍝→ 1 4 7 10
⍝→ 2 5 8 11
⍝→ 3 6 9 12
t←'abc' (1 2 3) 5
(2⊃t)←'xyz'
(¯1↑t)←6
t
⍝→ abc
⍝→ xyz
⍝→ 6
s←5
(⊃s)←6
s
⍝→ 6
⍝ The value before stays what it was for others; names are local to functions.
f←{x←⍵ ⋄ ((x>2)/x)←0 ⋄ x}
w←⍳n←⎕ArgInt 'n' 6
f w
⍝→ 1 2 0 0 0 0
u←w
(3↓u)←0
u,w
⍝→ 1 2 3 0 0 0 1 2 3 4 5 6
((2|w)/w)×←2
w
⍝→ 2 2 6 4 10 6
⍝ Integers become reals where reals are assigned.
(2↑w)←.5
w
⍝→ 0.5 0.5 6 4 10 6
g←{(k w)←⍵ ⋄ ((w>k)/w)-←1 ⋄ ((w=k)/w)←k+3 ⋄ (k+1) w}
2⊃(g⍣3)1 (1+⍳n)
⍝→ 6 4 4 6 6 4
⍝ A function in parentheses that ends in the name of an array modifies.
k←2
y←1 2 3
y(+⍣k)←1
y
⍝→ 3 5 7
(2↑y)(+⍣k)←1
y
⍝→ 7 11 7
