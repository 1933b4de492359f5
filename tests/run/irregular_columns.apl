⍝ Columns of groups of rows. (A model in Python agrees.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 1500
c ← ⎕ArgInt 'c' 5
k ← 1+⌊n÷⍳n
m ← (n c)⍴13|(⍳c×n)×⍳c×n
weigh ← {+/(⍳≢⍵)×⍵}
⎕ ← weigh,k{+⌿⍵}⌸m
⍝→ 16175978
⎕ ← weigh,⌊k{(+⌿⍵)÷≢⍵}⌸m
⍝→ 418816
⎕ ← weigh,k{(⌈⌿⍵)-⌊⌿⍵}⌸m
⍝→ 464711
⎕ ← weigh k{⌈/+/⍵}⌸m
⍝→ 117290
⎕ ← weigh,{+⌿(⍵,c)⍴⍳⍵×c}⍤0⊢0,n,⍳7
⍝→ 225110590
⎕ ← ⍴{+⌿(⍵,c-c)⍴⍳0}⍤0⊢0,n,⍳7
⍝→ 9 0
