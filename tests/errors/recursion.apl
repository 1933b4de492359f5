⍝ Recursion that is no loop.
f←{⍵≤1:1 ⋄ ⍵×∇⍵-1}
⎕←f 5
g←{⍺←0 ⋄ x←⍵ ⋄ ∇ x}
⎕←g 1
h←{⍵=0:0 ⋄ ⍵∇⍵-1}
⎕←h 1
k←{0=≢⍵:0 ⋄ ∇⍵∘.+⍵}
⎕←k ⍳3
