⍝ Products of matrices beside something that is checked on the device: their kernels ask whether it has failed.
n←⎕ArgInt 'n' 128
v←n⍴3
⎕←+/v[v]
⎕←+/+⌿(n n⍴⍳7)+.×n n⍴⍳5
b←0=3|n n⍴⍳n×n
⎕←+/+⌿b∨.∧⍉b
⍝→ 384
⍝→ 25162499
⍝→ 5462
