⍝ Brackets without a partner: openers are reported where they stand, once each; the rest is still read.
a←(1+2
b←3 4[1
c←1 2)
d←]
e←(1 2[1)
f←{⍵)+(1}
g←}
h←nothing
