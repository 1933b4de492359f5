⍝ Constructs that are parsed but not elaborated yet are named.
⎕←⍎⍕3
⎕←2⊂⍳4
⎕←2⍋⍳3
