⍝ What does not take complex numbers: order, logic, counts and positions.
z←3J4 1J2
z<2
1≤z
3J4>2J1
z⌈1
z⌊1J1
z∧2
1J1∨2
z⍲1
~1J0
⌈/z
⍋z
⍒z
(2 2⍴2)⊤z
?5J0
⍳3J0
2J0⍴1
z[1J0]
1J0/5
(2J0↑⍳3)
{⍵:1 ⋄ 2}1J0
⎕UCS 65J0
z⍸2
13○z
z,'a'
2J0⌽⍳3
({⍵+1}⍣2J0)1
3J0 ⎕INT64AND 1
1J2J3
