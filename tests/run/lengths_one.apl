⍝ One of the arrays from files has one element, and is extended.
a←⎕ReadIntVecFile 'data/lengths_a.txt' ⋄ b←⎕ReadIntVecFile 'data/lengths_one.txt'
c←⎕ReadDoubleVecFile 'data/lengths_c.txt'
m←⎕ReadCSVInt 'data/lengths_one.csv' ⋄ k←⎕ReadCSVInt 'data/lengths_k.csv'
⎕←a×b
⍝→ 30 10 40 10 50 90 20 60
⎕←+/a×b
⍝→ 310
s←+\a
⎕←s÷c
⍝→ 2 1.6 16 9 7 7.666666667 6.25 6.2
⎕←(⌽a)+b×2
⍝→ 26 22 29 25 21 24 21 23
⎕←+/(a×a)-b×a+1
⍝→ ¯217
t←{⍵+a-b}⍣3⊢a
⎕←t
⍝→ ¯18 ¯26 ¯14 ¯26 ¯10 6 ¯22 ¯6
w←b
⎕←w+a
⍝→ 13 11 14 11 15 19 12 16
⎕←+/m×k
⍝→ 120 15
⎕←+/,m×k
⍝→ 135
⎕←⍉m+k
⍝→ 12 6
⍝→ 13 5
⍝→ 14 7
⎕←+/,(⍉m)×⍉k
⍝→ 135
⎕←m≡k
⍝→ 0
⎕←(0,¯1↓a)-b
⍝→ ¯10 ¯7 ¯9 ¯6 ¯9 ¯5 ¯1 ¯8
