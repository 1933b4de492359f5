⍝ Operators and functions without what they need.
v←1 2 3
¨v
+.
∘.
∘.2
/v
⌿v
1+
v×
(1-)2
+⍣2 v
-⍣2 3 v
f←{⍺⍺ ⍵}
f 3
dot←{⍺⍺ ⍵⍵ ⍵}
+dot
