⍝ Remainders and sines of what is too large for vectors say where a loop reads, stores and whether it fails: they are right at once.
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 6
m ← ⎕ArgDouble 'm' 1.5
v ← 10×⍳3
⍝ 2*100 is 1 more than a multiple of 1.5, twice that 0.5 more, and so on
x ← (⍳n)×2*100
⎕ ← +/v[1+⌊m|x]
⍝→ 80
⎕ ← v[1+⌊2×m|x]
⍝→ 30 20 10 30 20 10
h ← 3⍴0
h[1+⌊2×m|x] +← 1
⎕ ← h
⍝→ 2 2 2
⍝ a sine is no more than 1: the places are 1, 2 and 3
⎕ ← (0<+/v[2+⌊0.99×1○1E300×⍳n]),0<⌊/v[2+⌊0.99×1○1E300×⍳n]
⍝→ 1 1
