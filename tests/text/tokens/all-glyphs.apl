⍝ run: emit --to=tokens
⍝ Every primitive, and the twin code points that are the same token.
+-×÷*⍟⌈⌊|!○?~
∧∨⍲⍱<≤=≥>≠
⍴,⍪⌽⊖⍉↑↓⊃⊂⌷≢≡⊢⊣
⍳∊⍋⍒∪∩⍸⍷⊥⊤⌹⍕⍎
/⌿\⍀¨⍨⌸
⍤⍥⍣@⌺∘
⋆−∈∼∣◊
⍬←()[]{};:
