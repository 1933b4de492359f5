⍝ Lengths that only run time knows meet behind an assignment: what is made from the array as it was before is made before it is
⍝ written.
n ← ⎕ArgInt 'n' 5
a ← 9|n↑4 5 6
b ← 3-a
(2↓a) ← 7
z ← a
z[⍳n] +← a
⎕ ← a
⍝→ 4 5 7 7 7
⎕ ← b
⍝→ ¯1 ¯2 ¯3 3 3
⎕ ← z
⍝→ 8 10 14 14 14
