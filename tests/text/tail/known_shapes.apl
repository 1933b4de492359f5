⍝ run: emit --to=tail
⍝ Shapes of known length become sized vectors; axes, permutations and counts are numbers at compile time.
m←3 4⍴⍳12
n←⎕ArgInt 'n' 2
a←((¯1↓⍴m),n)⍴1
b←(⌽⍳⍴⍴m)⍉m
c←(n,⍴m)⍴0
d←(2↑⍴c)⍴5
e←m+.×⍉m
