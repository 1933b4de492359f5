⍝ Indexed assignment changes a copy; other names of the same array keep their value.
v←⍳5
w←v
v[2]←20
⎕←v
⍝→ 1 20 3 4 5
⎕←w
⍝→ 1 2 3 4 5
v[4 5]←0
⎕←v
⍝→ 1 20 3 0 0
v[1 3]←7 8
⎕←v
⍝→ 7 20 8 0 0
m←2 3⍴0
m[1;]←⍳3
m[;3]←9
⎕←m
⍝→ 1 2 9
⍝→ 0 0 9
m[2;1]←5
⎕←m
⍝→ 1 2 9
⍝→ 5 0 9
n←3
n+←4
⎕←n
⍝→ 7
