⍝ A primitive that is applied to groups: the error is where ⌸ is.
k ← 1 2 1
⎕ ← k⍋⌸3 1 4
