⍝ Arrays from files that are of one length, which the program has a version for.
a←⎕ReadIntVecFile 'data/lengths_a.txt'
b←⎕ReadIntVecFile 'data/lengths_b.txt'
c←⎕ReadDoubleVecFile 'data/lengths_c.txt'
m←⎕ReadCSVInt 'data/lengths_m.csv' ⋄ k←⎕ReadCSVInt 'data/lengths_k.csv'
⎕←a×b
⍝→ 6 7 4 8 10 72 2 48
⎕←+/a×b
⍝→ 157
s←+\a
⎕←s÷c
⍝→ 2 1.6 16 9 7 7.666666667 6.25 6.2
⎕←(a>b)/b
⍝→ 2 1 2 8 1
⎕←(⌽a)+b×2
⍝→ 10 16 11 21 5 20 3 19
⎕←+/(a×a)-b×a+1
⍝→ ¯21
t←{⍵+a-b}⍣3⊢a
⎕←t
⍝→ 6 ¯17 13 ¯20 14 12 5 0
w←b
w[2]←100
⎕←w+a
⍝→ 5 101 5 9 7 17 3 14
⎕←a∘.×2↑b
⍝→  6 21
⍝→  2  7
⍝→  8 28
⍝→  2  7
⍝→ 10 35
⍝→ 18 63
⍝→  4 14
⍝→ 12 42
⎕←+/m×k
⍝→ 50 16
⎕←+/,m×k
⍝→ 66
⎕←⍉m+k
⍝→  8 5
⍝→ 10 5
⍝→ 12 8
⎕←+/,(⍉m)×⍉k
⍝→ 66
⎕←m≡k
⍝→ 0
⎕←(0,¯1↓a)-b
⍝→ ¯2 ¯4 0 ¯4 ¯1 ¯3 8 ¯6
g←⍋b
x←b[g]
⎕←g
⍝→ 3 7 1 5 2 4 6 8
y←2×b[⍒b]
⎕←a×x
⍝→ 3 1 8 2 35 72 16 48
⎕←a×y
⍝→ 48 16 64 14 20 36 4 12
