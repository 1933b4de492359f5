⍝ Errors of the lexer, the parser, the binder and of elaboration, each reported; what depends on them says nothing.
a←1 2+3 4 5
b←)
c←averge 1 2
d←'unclosed
e←⍳'x'
g←a+b+c+d+e
⎕←g
h←1E
f←{ y←⍵+nn ⋄ y }
k←f 1
(p q)←k
(r s t)←1 2
p+r
average←{(+/⍵)÷≢⍵}
u←avrage 1 2
