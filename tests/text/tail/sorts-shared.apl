⍝ run: emit --to=tail
⍝ What is sorted twice is sorted once: by other arrays, in functions, but not where the first stands in a branch
n ← ⎕ArgInt 'n' 5
v ← n|7×⍳n
w ← 10×v
⎕←v[⍋v]
⎕←w[⍋v]
f ← {⍵[⍋⍵]}
⎕←f v
⎕←v[⍒v]
g ← {n>3: ⍋⍵ ⋄ ⍳5}
⎕←(g w)+⍋w
