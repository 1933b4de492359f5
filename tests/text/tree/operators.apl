⍝ run: emit --to=tree
⍝ An operator takes all of the function at its left; a dyadic one a single operand at its right.
v←⍳3
+/v
+.×/v v
v+.×v
v(+.×)v
+¨/v
⌽¨⍨v
v∘.×v
∘.=⍨v
∘.+.×v
+/¨v v
⌈/⌊/v
2 3∘+v
-∘÷v
+∘1⊢v
(+∘1)v
2⍨v
+/⍤1⊢v
(-⍣2)v
-⍣2⊢v
-⍣≡v
2+⍥|v
-@2⊢v
{⍵}⌺3 3⊢v
{≢⍵}⌸v
0∘=¨v
