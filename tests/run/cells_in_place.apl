⍝ Rows and columns of each cell change in place, in a loop. With kernels as users get them, optimised.
⍝ also: opencl TAILOR_OPENCL_OPTIONS= TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_OPENCL_OPTIONS=
c←2 4 4⍴⍳16
⎕←({({x←⍵ ⋄ x[1;]←x[2;] ⋄ x[;1]+←1 ⋄ x}⍣2)⍵}⍤2)c
⍝→  7  6  7  8
⍝→  7  6  7  8
⍝→ 11 10 11 12
⍝→ 15 14 15 16
⍝→
⍝→  7  6  7  8
⍝→  7  6  7  8
⍝→ 11 10 11 12
⍝→ 15 14 15 16
