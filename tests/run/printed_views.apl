⍝ Views of what scans and loops make are printed: what makes the rows stores them where the view has them.
n ← ⎕ArgInt 'n' 6
v ← 2|⍳n
⎕ ← ⌽+\v
⍝→ 3 3 2 2 1 1
⎕ ← 0,(+\v),9
⍝→ 0 1 1 2 2 3 3 9
⎕ ← (⌽+\v),×\1+v
⍝→ 3 3 2 2 1 1 2 2 4 4 8 8
⍝ Twice the same, one of them within another.
r ← 7,⌽+\⍳n
⎕ ← r
⍝→ 7 21 15 10 6 3 1
⎕ ← r,r
⍝→ 7 21 15 10 6 3 1 7 21 15 10 6 3 1
⎕ ← ⍉+\(n 2)⍴v
⍝→ 1 1 1 1 1 1
⍝→ 1 1 1 1 1 1
⎕ ← ⊖+⍀(n 2)⍴⍳n
⍝→ 18 24
⍝→ 13 18
⍝→ 10 14
⍝→  9 12
⍝→  4  6
⍝→  1  2
⎕ ← ⍕⌽⌈\5 3 7,v
⍝→ 7 7 7 7 7 7 7 5 5
