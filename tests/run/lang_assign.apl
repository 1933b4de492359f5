⍝ Indexed assignment changes the name's array only; where positions coincide, the last value wins.
n←⎕ArgInt 'n' 3
v←⍳5 ⋄ w←v
v[2]←10
v
⍝→ 1 10 3 4 5
w
⍝→ 1 2 3 4 5
v[1 n]←7 8
v
⍝→ 7 10 8 4 5
v[n n 1]←1 2 3
v
⍝→ 3 10 2 4 5
m←2 n⍴⍳6
m[1;2]←99
m[2;]←0
m
⍝→ 1 99 3
⍝→ 0  0 0
m[;n]←5 6
m
⍝→ 1 99 5
⍝→ 0  0 6
m[1 2;1]←70 80
m
⍝→ 70 99 5
⍝→ 80  0 6
m[1;1 3]+←1
m
⍝→ 71 99 6
⍝→ 80  0 6
m[2 1;3 2]←2 2⍴⍳4
m
⍝→ 71 4 3
⍝→ 80 2 1
m[;]←1
m
⍝→ 1 1 1
⍝→ 1 1 1
v[2]←0.5
v
⍝→ 3 0.5 2 4 5
f←{x←⍵ ⋄ x[1]←100 ⋄ x}
f v
⍝→ 100 0.5 2 4 5
v
⍝→ 3 0.5 2 4 5
s←'hello' ⋄ s[1]←'J'
s
⍝→ Jello
v[⍳0]←⍳0
v
⍝→ 3 0.5 2 4 5
a←2 2 2⍴0
a[1;;2]←n 4
a
⍝→ 0 3
⍝→ 0 4
⍝→
⍝→ 0 0
⍝→ 0 0
t←(1 2)(3 4)
t[2]←5
t[2]
⍝→ 5
v[4 5]×←10
v
⍝→ 3 0.5 2 40 50
