⍝ Numbers of rows beside their elements, through transpositions of what repeats them: each is found once.
n←⎕ArgInt 'n' 300
m←⎕ArgInt 'm' 200
x←(n m)⍴1009|7919×⍳n×m
+/,x-⍉(⌽⍴x)⍴⌈/x
⍝→ ¯30082348
+/,(2000⌊x)×⍉(⌽⍴x)⍴⌊/x
⍝→ 80288492
⌈/,x-(⍴x)⍴⌊⌿x
⍝→ 1007
