⍝ The first position of a block that the array does not have is in the error, as if one were assigned after the other.
n ← ⎕ArgInt 'n' 5
k ← ⎕ArgInt 'k' 4
u ← n n⍴0
u[;2×⍳n-3] ← 1
u[2×⍳n-5;] ← 2
⎕ ← +/,u
⍝→ 10
u[1+⍳n-2;3×⍳k] ← 1
⍝✗ assign_blocks_error.apl:9:1:
⍝✗ INDEX ERROR: 6 of 5
