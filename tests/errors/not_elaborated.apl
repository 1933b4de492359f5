⍝ Constructs that are parsed but not elaborated yet are named.
⎕←⍋3 1 2
⎕←2⊥1 0 1
⎕←(+⍤1)2 2⍴⍳4
