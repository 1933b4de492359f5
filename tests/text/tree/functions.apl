⍝ run: emit --to=tree
mean←+/÷≢
mean 1 2 3
twice←{⍺⍺ ⍺⍺ ⍵}
-twice 3
+⍨3
(-∘÷)4
{⍵+1}⍣3⊢0
m←2 3⍴⍳6
⌽[1]m
m[;2]
