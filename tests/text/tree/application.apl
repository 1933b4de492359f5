⍝ run: emit --to=tree
⍝ Functions apply right to left, all with the same precedence.
2×3+4
-3
- -3
2--3
(2×3)+4
⍳3+⍴4 5
x←1 ⋄ x-x÷x
1=⌈/⍳⌊2.5
