⍝ A picture made smaller, level by level, by windows that move in steps of two: each pixel of the next level is the mean of
⍝ four, so the last level is one pixel, the mean of all.
⍝ test: --levels=4
⍝ gives: 8 8
⍝ gives: 1 1
⍝ gives: 1
⍝ gives: 1

levels ← ⎕ArgInt 'levels' 11
n ← 2*levels
picture ← (⍳n)∘.{256|⍺×⍵}⍳n

half ← {(+/,⍵)÷4}⌺(2 2⍴2)
⎕ ← ⍴half picture
pixel ← (half⍣levels)picture
⎕ ← ⍴pixel
⎕ ← 1E¯9>|1-pixel[1;1]÷(+/,picture)÷n×n

⍝ The greatest of nine around every other pixel is no less than the pixel, and all greatest ones are among them.
peaks ← {⌈/,⍵}⌺(2 2⍴3 3 2 2)
every ← 1+2×(⍳n÷2)-1
⎕ ← (∧/,(peaks picture)≥picture[every;every])∧(⌈/,peaks picture)=⌈/,picture
