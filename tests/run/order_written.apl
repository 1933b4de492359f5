⍝ Sums of what is turned round, of an array that is written in place later: by way of a loop that may have no steps.
n ← ⎕ArgInt 'n' 9
k ← ⎕ArgInt 'k' 0
a ← 100|(⍳n)*2
v ← 1000|1⌽a
b ← {z←⍵ ⋄ w←1000|⌊2*(9|z)÷1 ⋄ s←+/w ⋄ w[1+⍳n-2]←s ⋄ z+w}⍣k⊢a
b[n] ← 5
⎕ ← b
⍝→ 1 4 9 16 25 36 49 64 5
⎕ ← +/v
⍝→ 285
m ← (n,n)⍴a
r ← +/,2×⍉m
c ← {⍵+⌈/⌊⌿⍵}⍣k⊢m
c[1;1] ← 7
⎕ ← r,+/,c
⍝→ 5130 2571
