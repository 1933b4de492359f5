⍝ run: emit --to=tree
⍝ Brackets index an array and give a function its axis.
m←3 3⍴⍳9 ⋄ i←1
m[1;2]
m[;2]
m[1;]
m[;]
m[]
m[i;i+1;⌽i i]
m[m[i]]
m[1][2]
(m+m)[1]
-m[1]
⌽[1]m
m,[0.5]m
+/[i]m
+\[1]⌽[2]m
m{⍺+⍵}[1]m
m+[1]i
'abc'[2]
