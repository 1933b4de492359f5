⍝ Sums over windows of up to 49 items, for one maximum and as arrays: interiors without tests, borders, and arrays that are
⍝ smaller than the window.
⍝ also: opencl TAILOR_KERNELS=cpu
k ← 5 5⍴1 4 6 4 1 4 16 24 16 4 6 24 36 24 6 4 16 24 16 4 1 4 6 4 1
weighted ← {+/(,⍵)×97|¯1+⍳×/⍴⍵}
sums ← {
  m ← ⌷0.5×⍵⍴101|7919×⍳×/⍵
  2×(⌈/,({+/,k×⍵}⌺5 5)m),(weighted⌷({+/,⍵×7 7⍴⍳49}⌺7 7)m),(⌊/,({+/,⍵}⌺9 3)m),weighted⌷({+/,⍵}⌺3 9)m
}
lines ← {
  v ← ⌷0.5×101|7919×⍳⍵
  2×(⌈/{+/⍵×⍳17}⌺17⊢v),(weighted⌷{+/⍵×⍳33}⌺33⊢v),(⌊/{+/⍵}⌺11⊢v),weighted⌷{+/⍵}⌺21⊢v
}
n ← ⎕ArgInt 'n' 80 ⋄ c ← ⎕ArgInt 'c' 70
⌊sums n,c
⍝→ 15850 15676929541 433 347925881
⌊sums c,3
⍝→ 12906 248239509 449 4283467
⌊lines n+920
⍝→ 9136 1317647000 255 49504269
⌊lines n-60
⍝→ 7759 2394930 255 137699
