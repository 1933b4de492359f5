⍝ The same with kernels as users get them, optimised: PoCL met a fault of its own there. (Of truths alone: it takes half a
⍝ minute for the tiles of whole numbers.)
⍝ backends: interp c
⍝ also: opencl TAILOR_OPENCL_OPTIONS=
n←⎕ArgInt 'n' 128
v←n⍴3
⎕←+/v[v]
b←0=3|n n⍴⍳n×n
⎕←+/+⌿b∨.∧⍉b
⍝→ 384
⍝→ 5462
