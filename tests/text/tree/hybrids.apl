⍝ run: emit --to=tree
⍝ / ⌿ \ ⍀ are operators after a function and functions after an array.
v←1 2 3 ⋄ f←{⍺+⍵}
+/v
f/v
{⍺×⍵}\v
1 0 1/v
(v>1)/v
v⌿v
v[1 2]\2 3
+⌿v
-⍀v
2+/v
v/⍨v>2
∘./v
v∘./v
1 0 1/+/v
(+)/v
f¨/v
+/[1]v
1 0 1/[1]v
