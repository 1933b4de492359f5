⍝ Constructs that are parsed but not elaborated yet are named.
⎕←⍎⍕3
⎕←1 0⌽(1 2)(3 4)
⎕←2⍋⍳3
