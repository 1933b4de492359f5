⍝ run: emit --to=core
⍝ core: positions that go up by equal steps, and what ↑ and ↓ select, are blocks, with one check an axis; not where they go
⍝ down, or may be taken beyond what there is
n←⎕ArgInt 'n' 5
m←n n⍴0
m[1+⍳n-2;2×⍳n-3]←1
(1 ¯2↓m)←2
v←n⍴0
v[n-⍳n-1]←1
v[9↑⍳n]←2
