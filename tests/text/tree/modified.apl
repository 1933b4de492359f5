⍝ run: emit --to=tree
⍝ a f←e changes a variable by a function, a[i] f←e a part of one; (a b)←t takes a tuple apart.
a←1 2 3 ⋄ f←{⍺+⍵} ⋄ m←2 2⍴⍳4
a+←1
a f←1
a,⍨←0
a{⍺×⍵}←2
a[2]-←1
m[1;]f←a
m+.×←m
m,[1]←m
b←a+←1
1+a×←2
a(+∘-)←3
(p q)←1 2
r←(p q)←q p
-f←3
g←- ⋄ g f←3
a←1 ⋄ a×a÷←2
