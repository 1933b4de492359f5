⍝ What a row's branches reduce: the row, or numbers made of it; in branches of branches; one sum after another; in a loop; all of
⍝ what they give. Where rows are long, as here, all are reduced in front of the branches.
n←⎕ArgInt 'n' 5
k←⎕ArgInt 'k' 72
m←n k⍴7 2 9 4 1 8 3
+/m
⍝→ 349 353 349 350 351
{(351>+/⍵):+/⍵*2 ⋄ ⌈/⍵}⍤1⊢m
⍝→ 2293 9 2305 2298 9
{(⍵[1]=7):-+/⍵ ⋄ (⍵[1]=9):⌊/⍵×⌽⍵ ⋄ (350=+/⍵):{(⍵[1]=3):+/⍵×⌽⍵ ⋄ 2}⍵ ⋄ ≢⍵}⍤1⊢m
⍝→ ¯349 2 72 1122 72
{(350<+/⍵):{a←⌊(+/⍵)÷8 ⋄ +/(⍵-a)*2}⍵ ⋄ ≢⍵}⍤1⊢m
⍝→ 72 110665 72 72 105267
{v←⍵ ⋄ {(1=2|⍵):+/5|v×⍵ ⋄ ⍵+⌈/v}⍣3⊢⍵[1]}⍤1⊢m
⍝→ 188 198 177 9 205
{(350<+/⍵):∨/⍵=8 ⋄ ∧/⍵>1}⍤1⊢m
⍝→ 0 1 0 0 1
+/{(⍵[1]>3):+/⍵ ⋄ ⌈/⍵}⍤1⊢m
⍝→ 729
