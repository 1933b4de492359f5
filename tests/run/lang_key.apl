⍝ f⌸: what has the same key, in order of first appearance.
n←⎕ArgInt 'n' 3
k←3 1 n 2 1
k{+/⍵}⌸10 20 30 40 50
⍝→ 40 70 40
{≢⍵}⌸k
⍝→ 2 2 1
{⍺,≢⍵}⌸'mississippi'='s'
⍝→ 0 7
⍝→ 1 4
k{⍺ (⌈/⍵)}⌸10 20 30 40 50
⍝→ 3 30
⍝→ 1 50
⍝→ 2 40
k{+⌿⍵}⌸5 2⍴⍳10
⍝→  6  8
⍝→ 12 14
⍝→  7  8
{⍵[1]}⌸'banana'
⍝→ 1 2 3
≢{≢⍵}⌸⍳0
⍝→ 0
