⍝ Loops that look for a first place, or whether any or all are so, end where they have found it.
n ← ⎕ArgInt 'n' 3000
none ← ⎕ArgInt 'none' 0
at ← {⍵=⍳n}
⍝ The first row, the last, one within a chunk, the first and the last of one; and none
⎕ ← ⊃⍸at 1
⍝→ 1
⎕ ← ⊃⍸at n
⍝→ 3000
⎕ ← (⊃⍸at 200),(⊃⍸at 256),(⊃⍸at 257),⊃⍸at 768
⍝→ 200 256 257 768
⎕ ← ⊃⍸at none
⍝→ 0
⎕ ← (at none)⍳1
⍝→ 3001
⎕ ← (at 2900)⍳1
⍝→ 2900
⎕ ← ⌊/⍸1=7|5000⌽⍳n
⍝→ 3
⎕ ← ⌊/⍸at none
⍝→ 9223372036854775807
⎕ ← ⊃⍸none↑at 1
⍝→ 0
⎕ ← (∨/none↑at 1),(∧/none↑at 1),1∊none↑at 1
⍝→ 0 1 0
⎕ ← (∨/at 1),(∨/at n),∨/at none
⍝→ 1 1 0
⎕ ← (∧/~at 1),(∧/~at n),∧/~at none
⍝→ 0 0 1
⎕ ← (1∊at 300),1∊at none
⍝→ 1 0
⍝ What is kept, and its first
⎕ ← ⊃(49<⍳n)/3×⍳n
⍝→ 150
⍝ One after the other
b ← 0=6|⍳n
⎕ ← {⍵+⊃⍸⍵↓b}⍣20⊢0
⍝→ 120
⎕ ← {⍵+⊃⍸⍵↓b}⍣3⊢2990
⍝→ 3000
⍝ In rows: of 300, the first a 1 in the last column, the second none, the third in the first column
m ← 3 300⍴(299⍴0),1,(300⍴0),1,299⍴0
⎕ ← ∨/m
⍝→ 1 0 1
⎕ ← ∧/~m
⍝→ 0 1 0
⎕ ← +/{∧/0≠(1+⍳⌊¯1+⍵*0.5)|⍵}¨1+⍳(⎕ArgInt 'primes' 999)
⍝→ 168
⍝ What is not a number is neither less nor equal
r ← (÷2)×⍳n
nan ← (none÷none)×⍳n
⎕ ← (⊃⍸nan<r),(∨/nan=nan),(∧/nan≠nan),⊃⍸r>1000
⍝→ 0 0 1 2001
⍝ Beside a sum, for which all rows are needed
v ← 1+n⍴0 1 2
⎕ ← (⊃⍸v=3),(+/v),∧/v>0
⍝→ 3 6000 1
⍝ The least of numbers that grow with the row, from an argument on
k ← ⎕ArgInt 'k' ¯5
⎕ ← ⌊/k+⍸at 600
⍝→ 595
