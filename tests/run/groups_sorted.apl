⍝ What functions find for groups as a whole, by sorts of all groups at once: orders, first places, what differs; of what is
⍝ computed from a group each finds it for itself. (A model in Python agrees.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 200
m ← ⎕ArgInt 'm' 7
v ← 1+11|7×i×i←⍳n
r ← 0.5×11|7×i×i
c ← 'abcdefghijk'[v]
k ← 1+m|i×i
median ← {⍵[⍋⍵][⌈0.5×≢⍵]}
⎕ ← k median⌸v
⍝→ 8 8 8 8
⎕ ← k{median ⍵}⌸r
⍝→ 3.5 3.5 3.5 3.5
⎕ ← k{+/(⍳≢⍵)×⍋⍵}⌸v
⍝→ 50957 49024 53908 6091
⎕ ← k{+/(⍳≢⍵)×⍒⍵}⌸r
⍝→ 50251 51954 52652 6313
⎕ ← k{+/(⍳≢⍵)×⍵[⍒⍵]}⌸v
⍝→ 8890 8370 9248 2237
⎕ ← k{≢∪⍵}⌸v
⍝→ 6 6 6 6
⎕ ← k{+/(⍳≢u)×u←∪⍵}⌸v
⍝→ 106 110 140 130
⎕ ← k{≢∪⍵}⌸c
⍝→ 6 6 6 6
⎕ ← k{+/⍵⍳⍵}⌸r
⍝→ 189 278 215 102
⎕ ← k{+/(⍳≢⍵)×⍋⍋⍵}⌸v
⍝→ 50957 49024 53908 6091
⎕ ← k{30>≢⍵: ⍺ ⋄ +/(⍳≢⍵)×⍵[⍋⍵]}⌸v
⍝→ 14426 14192 15001 1
⎕ ← k{w←⍵ ⋄ +/{w[⍋w][⍵]×⍵}¨⍳≢w}⌸v
⍝→ 14426 14192 15001 3534
⎕ ← k{a←2↓⍵ ⋄ +/(⍳≢a)×a[⍋a]}⌸v
⍝→ 13313 13107 14045 3078
⎕ ← k{⌈/{≢⍵}⌸⍵}⌸v
⍝→ 11 11 11 6
q ← r ⋄ q[¯2+3×⍳⌈n÷3] ← 0÷0
⎕ ← k{+/⍵⍳⍵}⌸q
⍝→ 1463 1251 1397 419
⎕ ← k{≢∪⍵}⌸q
⍝→ 25 24 26 16
⎕ ← k{(+/⍵≠⍵)+≢∪(⍵=⍵)/⍵}⌸q
⍝→ 25 24 26 16
