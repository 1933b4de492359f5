⍝ run: emit --to=tree
⍝ Arrays side by side are one array; an index binds to one item of a strand; parentheses nest.
1 2 3
v←1 2 3 ⋄ v v 4
v[1] 2 v[3]
(1 2)(3 4) 'ab' 'c'
(1 2 3)[2]
1 2 3[1]
((5))
1 (2) 3+4 5
1(v)
⍬ ⍬
