⍝ Loops whose state is a part of what a step makes: it is read there, nothing is copied.
n ← ⎕ArgInt 'n' 20
v ← 1↓⍳n
⎕ ← {1↓(0≠(⊃⍵)|⍵)/⍵}⍣3⊢v
⍝→ 13 17 19
⎕ ← {1↓+\⍵}⍣3⊢⍳6
⍝→ 28 62 117
⎕ ← {¯1↓1↓+\⍵}⍣2⊢⍳6
⍝→ 9 19
⎕ ← {1 0↓+⍀⍵}⍣2⊢4 2⍴⍳8
⍝→ 13 18
⍝→ 29 38
⎕ ← ⌽{2↓(2|⍵)/⍵}⍣2⊢⍳n
⍝→ 19 17 15 13 11 9
⎕ ← ⍴{1↓(2|⍵)/⍵}⍣9⊢⍳n
⍝→ 1
⍝ In a loop in a loop.
⎕ ← {1↓{1↓+\⍵}⍣2⊢⍵}⍣2⊢⍳8
⍝→ 352 662
