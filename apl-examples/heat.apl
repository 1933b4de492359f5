⍝ Heat in a plate whose upper border is hot: the middle after many steps.
⍝ test: --n=9 --steps=400
⍝ gives: 25

n     ← ⎕ArgInt 'n' 500
steps ← ⎕ArgInt 'steps' 200

plate  ← (n n)⍴100×n>¯1+⍳n×n

⍝ Inside, every point becomes the mean of its four neighbours; the border stays.
within ← ((⍳n)∊1,n)∘.⍱(⍳n)∊1,n
step   ← {(plate×~within)+within×0.25×(1⌽⍵)+(¯1⌽⍵)+(1⊖⍵)+¯1⊖⍵}
result ← (step⍣steps) plate

⍝ By symmetry the middle of a square with one hot side of four tends to a quarter of it.
middle ← result[⌈n÷2;⌈n÷2]
⎕ ← ⌊0.5+middle
