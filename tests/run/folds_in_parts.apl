⍝ Sums of rows beside other parts of an array: as segments, stored, and then one of the parts.
n←⎕ArgInt 'n' 3
k←⎕ArgInt 'k' 2
m←(n,k)⍴⍳6
⎕←(+/m),0
⎕←m,+/m
⎕←(+/m),+⌿m
⎕←(⌈/m)⍪⌊/m
⎕←(m,+/m)⍪(+⌿m),+/,m
⎕←(2+n)↑+/m
⎕←⌽(+/m),1
⎕←⌈/(+/m),30
⍝ A part of a product is computed alone, also where more is taken than there is.
⎕←2 4↑m+.×⍉m
⍝→ 3 7 11 0
⍝→ 1 2  3
⍝→ 3 4  7
⍝→ 5 6 11
⍝→ 3 7 11 9 12
⍝→ 2 4 6 1 3 5
⍝→ 1  2  3
⍝→ 3  4  7
⍝→ 5  6 11
⍝→ 9 12 21
⍝→ 3 7 11 0 0
⍝→ 1 11 7 3
⍝→ 30
⍝→  5 11 17 0
⍝→ 11 25 39 0
⍝ What is mapped from folds is one with them: one pass over m.
⎕←(+/m),1+⌈/m
⎕←(1++/m),[1.5]2×⌈/m
⍝→ 3 7 11 3 5 7
⍝→  4  4
⍝→  8  8
⍝→ 12 12
