⍝ Rows of their own lengths: elements of groups, and of ⍳ within rows, of which one is long, and some are none. (A model in
⍝ Python agrees.)
⍝ args: --n=1500 --m=1500
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 12
m ← ⎕ArgInt 'm' 20
v ← 1+101|7×⍳n
k ← 1+⌊n÷⍳n
w ← m,(⍳9),0,⍳3
weigh ← {+/(⍳≢⍵)×⍵}
⎕ ← weigh k{(+/⍵)-⌈/⍵}⌸v
⍝→ 5334650
⎕ ← weigh 1000|k{32⊥7|⍵}⌸v
⍝→ 523291
⎕ ← weigh k{⌊100×(+/⍵)÷≢⍵}⌸v
⍝→ 15026211
⎕ ← weigh k{⌈/+\⍵}⌸v
⍝→ 5541675
⎕ ← weigh k{+/⍵×⍵-⌊(+/⍵)÷≢⍵}⌸v
⍝→ 90404795
⎕ ← weigh k{+/(⌽⍵)×⍳≢⍵}⌸v
⍝→ 1255617657
⎕ ← weigh k{+/1↓⍵}⌸v
⍝→ 5396560
⎕ ← weigh k{∨/(1↓⍵)<¯1↓⍵}⌸v
⍝→ 941
⎕ ← weigh k{⍺+×/1+2|⍵}⌸5⌊v
⍝→ 40534841035912233
⎕ ← +/,k{3↑+\⍵}⌸v
⍝→ 10268
⎕ ← {+/7|⍵×⍳⍵}⍤0⊢w
⍝→ 4500 1 6 11 12 19 21 0 22 27 0 1 6 11
⎕ ← {⌈/+\5|⍳⍵}⍤0⊢1⌈w
⍝→ 3000 1 3 6 10 10 11 13 16 20 1 1 3 6
⎕ ← {s←3|⍳⍵ ⋄ +/s×⌽+\s}⍤0⊢w
⍝→ 1127250 1 5 9 11 19 27 30 42 54 0 1 5 9
⎕ ← {x←v[1+n|⍳⍵] ⋄ ⌈/0,x-⌊/x}⍤0⊢w
⍝→ 100 0 7 14 21 28 35 42 49 56 0 0 7 14
⎕ ← +/{+/÷⍳⍵}⍤0⊢w
⍝→ 31.51378522
⍝ Two arrays, of which one is written.
p ← {+/⍳⍵}⍤0⊢w
q ← {+/⍳⍵}⍤0⊢w
p[2] ← 70
⎕ ← p
⍝→ 1125750 70 3 6 10 15 21 28 36 45 0 1 3 6
⎕ ← q
⍝→ 1125750 1 3 6 10 15 21 28 36 45 0 1 3 6
⍝ The first row that fails says so.
⎕ ← {+/v[⍳⍵]}⍤0⊢(9,n,n+3 4),w
⍝✗ irregular.apl:50:8:
⍝✗ INDEX ERROR: 1501 of 1500
