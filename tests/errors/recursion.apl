⍝ Recursion that is no loop.
f←{⍵≤1:1 ⋄ ⍵×∇⍵-1}
⎕←f 5
