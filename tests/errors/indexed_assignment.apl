⍝ Indexed assignment: what is known to be wrong.
v←⍳5
v[6]←20
v[1;2]←0
v[1 2]←⍳3
v[1 2]←2 2⍴0
v['a']←1
v[1]←'a'
u[1]←1
f←{⍵} ⋄ f[1]←2
(⍳3)[2]←1
m←2 2⍴0
m[3;]←1
m[1;]←⍳3
