⍝ n?m: different numbers from 1 to m, the same on every backend.
n←⎕ArgInt 'n' 5
d←n?100
⍴d
⍝→ 5
(⍴∪d)≡⍴d
⍝→ 1
∧/d∊⍳100
⍝→ 1
p←52?52
p[⍋p]≡⍳52
⍝→ 1
⍴0?9
⍝→ 0
1?1
⍝→ 1
