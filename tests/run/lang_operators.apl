⍝ Operators of the user and of APL; trains; functions as values of names.
n←⎕ArgInt 'n' 3
twice←{⍺⍺ ⍺⍺ ⍵}
({⍵×2}twice)n
⍝→ 12
(-twice)n
⍝→ 3
{⍵+1}twice twice n
⍝→ 7
on←{(⍺⍺ ⍺)⍵⍵ ⍺⍺ ⍵}
2(×∘2 on +)n
⍝→ 10
then←{⍵⍵ ⍺⍺ ⍵}
(⍳then(+/))4
⍝→ 10
plus←{⍺⍺+⍵}
(n plus)4
⍝→ 7
else←{(⍺⍺⍣⍺)(⍵⍵⍣(~⍺))⍵}
1({⍵+1}else{⍵-1})n
⍝→ 4
0({⍵+1}else{⍵-1})n
⍝→ 2
(n>2)({⍵+1}else{⍵-1})n
⍝→ 4
apply←{⍺←0 ⋄ ⍺ ⍺⍺ ⍵}
5+apply n
⍝→ 8
+apply n
⍝→ 3
2-⍨n
⍝→ 1
+⍨n
⍝→ 6
×⍨⍳n
⍝→ 1 4 9
7⍨n
⍝→ 7
(-∘2)n
⍝→ 1
(2∘-)n
⍝→ ¯1
(-∘÷)4
⍝→ ¯0.25
3(-∘÷)4
⍝→ 2.75
(⍴∘⍴)2 3⍴0
⍝→ 2
3(+⍥|)¯4
⍝→ 7
(-⍤|)¯4
⍝→ ¯4
3(-⍤+)4
⍝→ ¯7
(+/÷≢)1 2 3 6
⍝→ 3
2(+,-)5
⍝→ 7 ¯3
(1+⊢)n
⍝→ 4
(-+)n
⍝→ ¯3
3(-×)4
⍝→ ¯12
(⌈/-⌊/)3 1 n 8
⍝→ 7
add←+
2 add 3
⍝→ 5
add/⍳n
⍝→ 6
plusscan←+\
plusscan⍳n
⍝→ 1 3 6
rows←+/
rows 2 n⍴⍳6
⍝→ 6 15
dot←+.×
1 2 3 dot ⍳n
⍝→ 14
table←∘.×
1 2 table ⍳n
⍝→ 1 2 3
⍝→ 2 4 6
⊢n
⍝→ 3
1⊣n
⍝→ 1
1⊢n
⍝→ 3
first←+⌿
first 2 n⍴⍳6
⍝→ 5 7 9
