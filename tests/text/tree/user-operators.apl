⍝ run: emit --to=tree
⍝ ⍺⍺ makes a dfn a monadic operator, ⍵⍵ a dyadic one; nested dfns do not count.
twice←{⍺⍺ ⍺⍺ ⍵}
compose←{⍺⍺ ⍵⍵ ⍵}
plain←{{⍺⍺ ⍵}⍵}
- twice 5
-twice twice 5
{⍵+1}twice 5
+compose×5
(+/compose-)5
6 twice 9
3(+{⍺ ⍺⍺ ⍵})4
- plain 3
bench←{(⍺⍺ ⎕BENCH ⍵)0}
(-⎕BENCH 10)3
-⎕BENCH 10⊢3
+⎕ASSOC 0/1 2 3
each←¨ ⋄ dot←. ⋄ power←⍣
-each 1 2
1 2+dot×3 4
else←{(⍺⍺⍣⍺)(⍵⍵⍣(~⍺))⍵}
1 -else÷ 5
