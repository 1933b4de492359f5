⍝ Selective assignment of what cannot be selected.
v←⍳5
(1+v)←3
(v+1)←3
{(2↑⍵)←3 ⋄ ⍵}v
(⍴v)←5
(+/v)←5
f←{(2↑v)←0 ⋄ ⍵}
f 3
(2↑v)←1 2 3
(2↑q)←1
((v>2)/v w)←1
t←(1 2)(3 4) 5
(2↑1⊃t)←9
(∊t)←9
s←5
(,s)←6 7
