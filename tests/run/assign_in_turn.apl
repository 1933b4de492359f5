⍝ Values for places that are there twice: the last one counts, whatever was before, and what it was stays what it was. The
⍝ places are not known when it is compiled.
⍝ args: --n=12
n ← ⎕ArgInt 'n' 5
v ← 10×⍳n
p ← 1+4|⍳n                      ⍝ 2 3 4 1, three times
w ← v
w[p] ← ⍳n                       ⍝ those of the last round: 9 10 11 12
⎕ ← w
⎕ ← v
⍝→ 12 9 10 11 50 60 70 80 90 100 110 120
⍝→ 10 20 30 40 50 60 70 80 90 100 110 120

⍝ In a loop, whose state nobody needs as it was; a value that is read from it is that from before.
step ← {(u k)←⍵ ⋄ u[1+3|k+⍳n] ← u[⌽⍳n] ⋄ u (k+1)}
⎕ ← ⊃(step⍣2) v 0
⍝ first step: places 2 3 1 .. get 120 110 .. 10: the last for 2, 3 and 1 are 30 20 10
⍝ u is 10 30 20 40 .. 120; second: places 3 1 2 .. get 120 .. 40 20 30 10: the last for 3, 1, 2 are 20 30 10
⍝→ 30 10 20 40 50 60 70 80 90 100 110 120

⍝ Rows, complex numbers, characters, places on two axes.
⎕ ← {r←⍵ ⋄ r[p] ← 100×⍳n ⋄ r}⍤1 ⊢2 n⍴⍳2×n
⍝→ 1200 900 1000 1100  5  6  7  8  9 10 11 12
⍝→ 1200 900 1000 1100 17 18 19 20 21 22 23 24
z ← v+0J1
z[p] ← 0J1×⍳n
⎕ ← 5↑z
⍝→ 0J12 0J9 0J10 0J11 50J1
c ← n⍴'abcdef'
c[p] ← n⍴'xyz'
⎕ ← c
⍝→ zzxyefabcdef
m ← 3 n⍴0
m[1+2|⍳9;p] ← 9 n⍴⍳9×n
⎕ ← m[;⍳5]
⍝→  96  93  94  95 0
⍝→ 108 105 106 107 0
⍝→   0   0   0   0 0
