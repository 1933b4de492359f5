⍝ A system of linear equations and the inverse of its matrix: the largest errors.
⍝ test: --n=6
⍝ gives: 1
⍝ gives: 1

n ← ⎕ArgInt 'n' 100

⍝ A matrix whose diagonal dominates has an inverse.
m ← (n×(⍳n)∘.=⍳n)+1○(⍳n)∘.×⍳n
x ← ⍳n
⎕ ← 1E¯9>⌈/|x-(m+.×x)⌹m
⎕ ← 1E¯9>⌈/,|((⍳n)∘.=⍳n)-m+.×⌹m
