⍝ Two axes are filled, each with fewer elements than there may be.
n←⎕ArgInt 'n' 33554432
⎕←(2 3)↑1 1⍴5
⍝→ 5 0 0
⍝→ 0 0 0
⎕←+/,(n,n)↑1 1⍴1
⍝✗ limit_take.apl:6:11: LIMIT ERROR: too many elements
