⍝ also: opencl TAILOR_KERNELS=cpu
⍝ A reduction that may fail, and an update at its result, which would: the first fault is the one that is told.
f←{(v w)←⍵ ⋄ m←⌈/w[v] ⋄ w[m]←3 ⋄ v (w-1)}
v←⍳1000
us←⍳1000
us[5]←3000
v[700]←1003
(v us)←(f⍣3) v us
⎕←+/us
⍝✗ single_items_check.apl:3:
⍝✗ INDEX ERROR: 1003 of 1000
