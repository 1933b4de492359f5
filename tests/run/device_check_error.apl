⍝ A check of what the device makes, in a branch that it chooses in a loop: the loop does not go on, what stands before it is
⍝ printed, and what stands behind it is not.
v←⍳300
step←{(k w)←⍵ ⋄ s←+/w ⋄ 45600>s: (k+1)(w+1) ⋄ p←s-45349 ⋄ w[p]←0 ⋄ (k+1) w}
⎕←'before'
(k w)←step⍣1⊢0 v
⎕←k (+/w)
(k w)←step⍣20⊢0 v
⎕←'behind'
⎕←k (+/w)
⍝→ before
⍝→ 1 45450
⍝✗ device_check_error.apl:4:
⍝✗ INDEX ERROR: 401 of 300
