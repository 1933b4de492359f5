⍝ Names in parts of parts of a failing statement are not reported again.
(a (b c)) ← 1 (2 3)+⍳4
a+b+c
(d (e f)) ← 1 2 3
e
