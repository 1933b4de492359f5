⍝ A boolean that the host knows goes to a kernel as a number: kernels have no boolean parameters.
n ← ⎕ArgInt 'n' 3
b ← n=3
v ← 2|⍳n+2
v=b
⍝→ 1 0 1 0 1
({b:⍵ ⋄ -⍵}¨v)+n
⍝→ 4 3 4 3 4
