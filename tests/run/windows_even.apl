⍝ Windows of even sizes: there is one less of them than items, none of a single item, and all items that they ask for are there.
⍝ also: opencl TAILOR_KERNELS=cpu
weighted ← {+/(,⍵)×97|¯1+⍳×/⍴⍵}
sums ← {
  m ← ⌷0.5×⍵⍴101|7919×⍳×/⍵
  2×(⌈/,({+/,⍵}⌺2 2)m),(weighted⌷({+/,⍵×4 4⍴⍳16}⌺4 4)m),(⌊/,({+/,⍵}⌺6 6)m),(weighted⌷({+/,⍵×2 5⍴⍳10}⌺2 5)m),⌈/,({⌈/,⍵}⌺(2 2⍴4 4 2 2))m
}
lines ← {
  v ← ⌷0.5×101|7919×⍳⍵
  2×(⌈/0,{+/⍵×⍳6}⌺6⊢v),(weighted⌷{+/⍵×⍳2}⌺2⊢v),weighted⌷{+/⍵}⌺14⊢v
}
n ← ⎕ArgInt 'n' 80 ⋄ c ← ⎕ArgInt 'c' 70
⌊sums n,c
⍝→ 297 1749524876 662 717494260 100
⌊sums c,2
⍝→ 280 7954413 365 6201288 100
⌊lines n+920
⍝→ 1377 7091256 33041962
⌊lines n-77
⍝→ 561 126 145
⍴({+/,⍵}⌺4 4)(n-79)3⍴1
⍝→ 0 2
⍴({+/,⍵}⌺4 4)(n-80)3⍴1
⍝→ 0 2
