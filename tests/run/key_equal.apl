⍝ Keys that are all one number, in an array that was ravelled.
{≢⍵}⌸,2 2⍴7
⍝→ 4
(,2 2⍴0){+/⍵}⌸⍳4
⍝→ 10
x←2 2⍴5
(,x){⍺,+/⍵}⌸⍳4
⍝→ 5 10
{⍺(≢⍵)}⌸,3 1⍴1=1
⍝→ 1 3
