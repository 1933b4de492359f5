⍝ Branches in functions of rows of their own lengths. (A model in Python agrees.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 1500
v ← 1+101|7×⍳n
k ← 1+⌊n÷⍳n
w ← n,(⍳9),0,⍳3
weigh ← {+/(⍳≢⍵)×⍵}
⎕ ← weigh k{3≥≢⍵: 0 ⋄ ⌈/+\⍵}⌸v
⍝→ 5409546
⎕ ← weigh k{1≥≢⍵: ⊃⍵ ⋄ ⌊(+/⍵)÷≢⍵}⌸v
⍝→ 149592
⎕ ← weigh k{3≥≢⍵: +/⍵ ⋄ 6≥≢⍵: ⌈/⍵ ⋄ a←+\⍵ ⋄ 0=2|≢⍵: ⌈/a-⍵ ⋄ +/a×⌽⍵}⌸v
⍝→ 2049124678
⎕ ← +/(⍳n)×{⍵<2: 0 ⋄ ∧/0<(1↓⍳⌊⍵*0.5)|⍵}⍤0⊢⍳n
⍝→ 165040
⎕ ← {x←3|⍳⍵ ⋄ 5>⍵: +/x ⋄ y←+\x ⋄ 0=2|⍵: ⌈/y×x ⋄ +/y}⍤0⊢w
⍝→ 3000 1 3 3 4 17 12 30 18 48 0 1 3 3
⍝ What a branch checks is checked where it is taken.
⎕ ← {⍵>2: +/v[n-⍳⍵] ⋄ ⍵}⍤0⊢n⌊w-3
⍝→ 76450 ¯2 ¯1 0 1 2 252 322 385 441 ¯3 ¯2 ¯1 0
⎕ ← {⍵>2: +/v[n-⍳⍵] ⋄ ⍵}⍤0⊢w
⍝✗ irregular_branches.apl:21:13:
⍝✗ INDEX ERROR: 0 of 1500
