⍝ Reductions and scans by functions that make arrays of scalars, and ⌸ of nested keys.
n ← ⎕ArgInt 'n' 3
,/1 2 3
⍝→ 1 2 3
⍴,/⍳n
⍝→
⍴⊃,/⍳n
⍝→ 3
,⌿2 3⍴n×⍳6
⍝→ 3 12
⍝→ 6 15
⍝→ 9 18
,\1 2 3
⍝→ 1
⍝→ 1 2
⍝→ 1 2 3
{⍺,⍵,0}/1 2 n
⍝→ 1 2 3 0 0
,/5
⍝→ 5
words ← 'to' 'be' 'or' 'not' 'to' 'be'
{≢⍵}⌸words
⍝→ 2 2 1 1
{⍺,' ',⍕≢⍵}⌸words
⍝→ to 2
⍝→ be 2
⍝→ or 1
⍝→ not 1
'to' 'be' 'to'{+⌿⍵}⌸(3,n)⍴⍳9
⍝→ 8 10 12
⍝→ 4  5  6
(1 2)(3 4)(1 2){⌈/⍵}⌸n×⍳n
⍝→ 9 6
