⍝ Keys with functions that ask for folds of their groups alone, whose values are not brought together: of keys close to each
⍝ other and far apart, of reals and characters, in dfns that are called twice, in branches, of no keys; and functions that ask for more.
n←⎕ArgInt 'n' 8
k←n⍴3 1 3 2 1 3 7 3
v←⍳n
⎕←k{⍺,(+/⍵),(⌈/⍵),≢⍵}⌸v
⍝→ 3 18 8 4
⍝→ 1  7 5 2
⍝→ 2  4 4 1
⍝→ 7  7 7 1
⎕←k{(+/⍵)÷≢⍵}⌸v
⍝→ 4.5 3.5 4 7
⎕←(1000000000×k){⍺,⌊/⍵}⌸v÷2
⍝→ 3000000000 0.5
⍝→ 1000000000 1  
⍝→ 2000000000 2  
⍝→ 7000000000 3.5
⎕←(0.5×k){×/⍵}⌸v
⍝→ 144 10 4 7
⎕←'abcabcad'{s←+/⍵ ⋄ s×2}⌸v
⍝→ 24 14 18 16
⎕←k{⍺,{+/⍵}⍳≢⍵}⌸v
⍝→ 3 10
⍝→ 1  3
⍝→ 2  1
⍝→ 7  1
⎕←k{⍺>2:+/⍵ ⋄ -⌈/⍵}⌸v
⍝→ 18 ¯5 ¯4 7
⎕←k{+/⍵×2}⌸v
⍝→ 36 14 8 14
⎕←(0⍴k){⍺,+/⍵}⌸0⍴v
f ← {⍺{⍺,(+/⍵),⌊/⍵}⌸⍵}
⎕←k f v
⍝→ 3 18 1
⍝→ 1  7 2
⍝→ 2  4 4
⍝→ 7  7 7
⎕←(k+1)f v
⍝→ 4 18 1
⍝→ 2  7 2
⍝→ 3  4 4
⍝→ 8  7 7
⎕←{+/⍵}⌸k
⍝→ 18 7 4 7
⎕←k{⌈/⍵}⌸v>4
⍝→ 1 1 0 1
⎕←k{s←+/⍵ ⋄ s÷≢⍵}⌸⌽v÷2
⍝→ 2.25 2.75 2.5 1
⎕←k{(+/⍵)+⊃⌽⍵}⌸n⍴3 1 4 1 5
⍝→ 18 11 2 2
