⍝ Inverses, linear equations, least squares.
⍝ tolerance: 1e-9
n←⎕ArgInt 'n' 2
r←{(⌊0.5+1E6×⍵)÷1E6}
m←n 2⍴2 1 1 3
r ⌹m
⍝→  0.6 ¯0.2
⍝→ ¯0.2  0.4
r 5 10⌹m
⍝→ 1 3
r (n 2⍴5 1 10 3)⌹m
⍝→ 1 0
⍝→ 3 1
a←3 3⍴4 ¯2 1 ¯2 4 ¯2 1 ¯2 4
(r a+.×⌹a)≡0.0+(⍳3)∘.=⍳3
⍝→ 1
⍝ the line through points: 1 2 3 4 gives 3 5 7 9
r 3 5 7 9⌹4 2⍴1 1 1 2 1 3 1 4
⍝→ 1 2
⍝ the mean is the constant that fits best
r 1 2 6⌹3⍴1
⍝→ 3
r ⌹2 2⍴0 1 1 0
⍝→ 0 1
⍝→ 1 0
⌹4
⍝→ 0.25
h←÷(⍳5)∘.+¯1+⍳5
r h+.×(⍳5)⌹h
⍝→ 1 2 3 4 5
