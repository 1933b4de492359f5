⍝ Scalar functions: what they take, and shapes that do not agree.
n←⎕ArgInt 'n' 3
'abc'+1
-'a'
1<'a'
~2
n⍲2
13○0.5
(⍳3)+⍳4
(2 3⍴0)×3 2⍴0
(1 2 3)+2 3⍴0
1+[1]2
'abc'='ab'
