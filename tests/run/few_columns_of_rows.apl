⍝ Columns of a table of three that read several elements of each row: products with a small matrix, products of rows turned,
⍝ greatest ones and sums, of ints, reals and bits, and folds over the columns
z ← ⎕ArgInt 'z' 0
n ← z+700
a ← ⌷¯5+11|7×(n,3)⍴¯1+⍳n×3
b ← ⌷13|5×(n,3)⍴¯1+⍳n×3
m ← 3 3⍴1 2 3 0 ¯1 4 5 6 0
⌈⌿a+.×m
⍝→ 27 36 19
+/⌊⌿(0.5×a)+.×m
⍝→ ¯34.5
c ← ((1⌽a)×¯1⌽b)-(¯1⌽a)×1⌽b
(+/⌈⌿c),+⌿c
⍝→ 168 ¯57 ¯78 129
∨⌿(1⌽a)>b+4
⍝→ 1 1 1
+⌿(1⌽a)>b
⍝→ 73 73 74
