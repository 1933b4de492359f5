⍝ What is made beside a reduction, for what needs that, too: computed again where it is cheap, read where it is dear.
n ← ⎕ArgInt 'n' 6
v ← ⍳n
⍝ cheap: greatest of (v-1)×(v+1)÷21: 5×7÷21
⎕ ← ⌈/(v-1)×(v+1)÷+/v
⍝→ 1.666666667
⍝ taken by the reduction, too: 2 4 6 .. of their sum
x ← 2×v
⎕ ← x÷+/x
⍝→ 0.04761904762 0.09523809524 0.1428571429 0.1904761905 0.2380952381 0.2857142857
⍝ of two, and then of what is left of it: from 0 to 1
y ← v-⌊/v
⎕ ← y÷⌈/y
⍝→ 0 0.2 0.4 0.6 0.8 1
⍝ dear: powers; what is made of those is made of what is stored of them
p ← 2*v÷1
⎕ ← +/(100×p)÷+/p
⍝→ 100
⎕ ← +/p×(3×p)-+/p
⍝→ 504
⍝ in rows, and in branches
⎕ ← ({z←2×⍵ ⋄ z÷+/z}⍤1)2 3⍴1 1 2 5 5 10
⍝→ 0.25 0.25 0.5
⍝→ 0.25 0.25 0.5
h ← {z←⍵×2 ⋄ 10<+/z:+/z×+/z ⋄ ⌈/z}
⎕ ← (h v),h 1 2
⍝→ 1764 4
⍝ part of it
w ← v÷+/v
⎕ ← 2↑w×21
⍝→ 1 2
