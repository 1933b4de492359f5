⍝ Scans of rows and columns that are reduced where they are made, of sizes that are sums: each kernel is proven to have no race.
z ← ⎕ArgInt 'z' 0
m ← (z+3 4500)⍴500-1009|7919×⍳20000
⎕ ← (+/+⌿(⌊⍀m)-⌈⍀m),(+/⌈/(⌈\m)-m),+/⌊/+\m
⍝→ ¯5098434 3024 ¯56453
