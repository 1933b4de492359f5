⍝ Factorials and binomial coefficients of complex numbers (worked out by Stirling's series after the recurrence
⍝ z! = (z+1)!÷z+1 has made their real part large), and digits of complex numbers.
⍝ tolerance: 1e-9
one ← ⎕ArgInt 'n' 1
z ← one×3J4 ¯1.5J0.25 0.5J¯2 ¯2J¯1 0J1 ¯20.5J3 ¯1J300
!z
⍝→ 0.7058649326J¯0.496739084 ¯2.754726976J¯0.03100041638 0.1659151089J¯0.1494634733 ¯0.1715329199J¯0.3264827482 0.4980156681J¯0.1549498283 ¯1.068583818E¯21J4.85040951E¯22 ¯3.11089965E¯206J7.15397579E¯207
1E9×|(!z)-!1J0×z
⍝→ 0 0 0 0 0 0 0
!5J0 ¯0.5J0
⍝→ 120 1.772453851
w ← 2J1 ¯3 0.5 2 ¯1.5J2 0J1
w!one×3J4 2J1 3J¯1 2 ¯2.5J1 5
⍝→ ¯3.18596682J2.802408145 0 2.060125647J¯0.3082101842 1 2.738168877J9.018315744 ¯0.8982271817J1.896257384
2!3J4
⍝→ ¯5J10
10 10⊤33J44×one
⍝→ 3J4 3J4
2J1 2J1 2J1⊤7J3 5J¯2
⍝→ 0J1 ¯1J1
⍝→ 0J1  0
⍝→ 1    1J1
10 0 5⊤12.5J3×one
⍝→ 0 2J1 2.5J¯2
10⊤3J14
⍝→ 3J4
