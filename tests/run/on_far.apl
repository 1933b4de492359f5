⍝ Sines of what is too large for vectors say where a loop reads, and whether it fails: they are right at once.
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 6
v ← 10×⍳3
⍝ a sine is no more than 1: the places are 1, 2 and 3
⎕ ← (0<+/v[2+⌊0.99×1○1E300×⍳n]),0<⌊/v[2+⌊0.99×1○1E300×⍳n]
⍝→ 1 1
