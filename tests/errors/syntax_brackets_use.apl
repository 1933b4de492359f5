⍝ Brackets that index nothing or are no axis.
v←1 2 3
[1]
v+[1;2]v
v+[]v
()
v[()]
(;)
v[+]
v[(1;2)]
