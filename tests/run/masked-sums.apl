⍝ Sums whose terms a bit takes out: in a kernel they are neither read nor computed.
n ← ⎕ArgInt 'n' 8
v ← 3×⍳20
i ← (⍳n)-1
bits ← {1 ⎕INT64AND ⍵ ⎕INT64SHR (⍳20)-1}
⎕ ← {+/v×bits ⍵}¨i
⍝→ 0 3 6 9 9 12 15 18
⎕ ← {⎕INT64XOR/v×bits ⍵}¨i
⍝→ 0 3 6 5 9 10 15 12
⎕ ← {+/v×⍵>⍳20}¨i
⍝→ 0 0 3 9 18 30 45 63
⎕ ← {+/(⍵×⍳20)×bits ⍵}¨i
⍝→ 0 1 4 9 12 20 30 42
w ← v+(⍳20)=⎕ArgInt 'k' 2
⎕ ← {+/w×bits ⍵}¨i
⍝→ 0 3 7 10 9 12 16 19
⎕ ← +/(+/w×bits 5)+i
⍝→ 124
