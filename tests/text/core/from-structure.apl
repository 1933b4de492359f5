⍝ run: emit --to=core
m←2 3⍴⍳6
⎕←⌽⍉m
⎕←1 0↓m
