⍝ With positions from 0: what is found for all groups at once.
⎕IO ← 0
v ← 3 1 4 1 5 9 2 6 5 3 5
k ← 2 7 2 7 2 7 2 7 2 7 2
⎕ ← k{⍵[⍋⍵][0]}⌸v
⍝→ 2 1
⎕ ← k{+/(⍳≢⍵)×⍒⍵}⌸v
⍝→ 32 15
⎕ ← k{+/⍵⍳⍵}⌸v
⍝→ 10 9
