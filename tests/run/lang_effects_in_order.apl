⍝ Functions with effects in reductions and scans: applied as APL defines it, from the right.
r←{⎕←⍺ ⍵ ⋄ ⍺-⍵}/⍳4
⍝→ 3 4
⍝→ 2 ¯1
⍝→ 1 3
r
⍝→ ¯2
⍝ of each prefix, the shorter first
{⎕←⍺ ⍵ ⋄ ⍺+⍵}\⍳3
⍝→ 1 2
⍝→ 2 3
⍝→ 1 5
⍝→ 1 3 6
⍝ of each row; of each column
s←{⎕←⍺ ⍵ ⋄ ⍺-⍵}/2 3⍴⍳6
⍝→ 2 3
⍝→ 1 ¯1
⍝→ 5 6
⍝→ 4 ¯1
s
⍝→ 2 5
{⎕←⍺ ⍵ ⋄ ⍺×⍵}⌿2 2⍴1J1 2 3J¯1 1
⍝→ 1J1 3J¯1
⍝→ 2 1
⍝→ 4J2 2
⍝ nothing to print: one item, no rows, no items of each row
{⎕←⍺ ⋄ ⍺+⍵}/,7
⍝→ 7
⍴{⎕←⍺ ⋄ ⍺+⍵}/0 3⍴0
⍝→ 0
⍝ within ¨, ⍤, ⍣ and inner products
+/{⎕←⍵ ⋄ {⎕←⍺ ⋄ ⍺+⍵}/⍳⍵}¨⍳3
⍝→ 1
⍝→ 2
⍝→ 1
⍝→ 3
⍝→ 2
⍝→ 1
⍝→ 10
({⎕←⍺ ⋄ ⍺+⍵}/⍤1)2 2⍴⍳4
⍝→ 1
⍝→ 3
⍝→ 3 7
({⍵+{⎕←⍺ ⋄ ⍺+⍵}/⍳⍵}⍣2)2
⍝→ 1
⍝→ 4
⍝→ 3
⍝→ 2
⍝→ 1
⍝→ 20
1 2{⎕←⍺ ⋄ ⍺+⍵}.×3 4
⍝→ 3
⍝→ 11
⍝ text and random numbers, which only the host makes
{⍺+≢⍕⍵}/10×⍳3
⍝→ 12
{⍺+0×?⍵}/5 6 7
⍝→ 5
⍝ the state of the host
{⎕PP←⍵ ⋄ ⎕←÷3 ⋄ ⍵-1}/0 0 4 3
⍝→ 0.333
⍝→ 0.33
⍝→ 0.3
⍝→ 0
