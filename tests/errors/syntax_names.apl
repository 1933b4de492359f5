⍝ Names without a value, each reported where it stands; its statement makes no other error.
a←nope+1
b←a+1
c←what nope2
⎕NONE
⍵
⍺
⍺⍺ 1
∇ 1
(x)+x←3
(x2←3)+x2
c
