⍝ Windows of a number of items that only run time knows: fewer than are made of blocks, none, as many as there are.
each ← {f ← ⍺⍺ ⋄ size ← ⍺ ⋄ items ← ⍵ ⋄ {f/size↑⍵↓items}¨¯1+⍳1+(≢items)-size}
k ← ⎕ArgInt 'k' 40
v ← 97|31×⍳100
sizes ← k,(k-9),(k-8),(k-40),k+60
try ← {(∧/(⍵⌈/v)=⍵(⌈each)v) (∧/(⍵+/v)=⍵(+each)v) (∧/(⍵+/v÷4)=⍵(+each)v÷4)}
i ← {⎕ ← try sizes[⍵] ⋄ ⍵+1}⍣5⊢1
⍝→ 1 1 1
⍝→ 1 1 1
⍝→ 1 1 1
⍝→ 1 1 1
⍝→ 1 1 1
⎕ ← (⍴(k+61)⌈/v),(⍴(k+61)+/v),(k-40)+/⍳3
⍝→ 0 0 0 0 0 0
