⍝ run: emit --to=tree
⍝ Simple, chained, inline, to the screen; an assigned name is known to its left.
a←3
a←b←4
c←1+d←2
(x+1)×x←5
5,e←3
y←1 ⋄ y(z←3)
m←3 3⍴0
m[1;2]←7
m[;1]←m[1;]←9
⎕←a
⎕←q←⎕←1
⎕IO←0
⎕←'x',⎕←'y'
f←+ ⋄ g←f
g←h←-
(k)←2
a←f 3
