⍝ run: emit --to=tree
a←b←3
⎕←a
v←⍳5
v[2]←7
v[1 2]+←1
a-←2
(p q)←a b
f←{⍺←1 ⋄ ⍵>0:⍺+⍵ ⋄ 0}
