⍝ Reductions, scans, products, replication.
n←⎕ArgInt 'n' 3
{⍺-⍵}/⍳0
{⍺-⍵}/3 0⍴0
{⍺,⍵}/⍳n
+/'abc'
9+/⍳5
1 0/⍳3
(2 2⍴1)/⍳3
'ab'/⍳2
1.5/⍳3
1 0 1⌿2 3⍴0
1 0 1\⍳3
(2 3⍴0)+.×2 3⍴0
+∘.×⍳3
{⍳⍵}¨⍳n
