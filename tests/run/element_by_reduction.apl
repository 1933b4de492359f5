⍝ An element that a reduction goes by, and that then becomes what it gives: in one kernel, also where a work-item does it all.
⍝ (A model in Python agrees.)
n ← 67
w ← 1009|6225×⍳n
step ← {(k w)←⍵ ⋄ k>6: k w ⋄ ((1+n|w⍳w⍳10)↑w)←7|w[3] ⋄ w[1]←(⍳n)⍳w[1] ⋄ ∇ (k+1) (w,0)[⍳n]}
(k w) ← step 1 w
⎕ ← k,+/w
⍝→ 7 22232
⎕ ← 5↑w
⍝→ 2 2 2 2 2
