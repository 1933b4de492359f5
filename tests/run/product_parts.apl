⍝ Parts of products of matrices, which are computed alone.
n←⎕ArgInt 'n' 3
m←(n,n)⍴⍳n×n
⎕←m+.×m
⍝→  30  36  42
⍝→  66  81  96
⍝→ 102 126 150
p←(n,n)⍴⌽⍳n×n
⎕←+/1 1⍉m+.×p
⍝→ 189
⎕←(p+.×m)[2;]
⍝→ 54 69 84
⎕←(p+.×p)[;3]
⍝→ 102 66 30
⎕←2 2↑m+.×⍉p
⍝→  46 28
⍝→ 118 73
⎕←+/(m+.×⍉m)[3;2 3]
⍝→ 316
⎕←{+/(p+.×⍉m)[⍵;]}2
⍝→ 219
