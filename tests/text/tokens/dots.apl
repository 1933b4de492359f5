⍝ run: emit --to=tokens
⍝ A dot before a digit begins a number; otherwise it is the inner product; ∘. is one token.
+.×
1.5.×2
+.5
∘.= ∘ . = ∘=
+∘.5
a.b
5.×.5
