⍝ Indexing.
n←⎕ArgInt 'n' 3
v←⍳5
m←2 3⍴⍳6
v[6]
v[0]
v[1.5]
v['a']
m[1]
m[1;4]
m[;;1]
(5)[1]
t←(1 2)'abc'
t[n]
t[3]
6⊃v
1 2 3⊃m
