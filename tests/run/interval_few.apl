⍝ ⍸ of few numbers in keys whose number only run time knows: keys that no search meets are not looked at.
n ← ⎕ArgInt 'n' 15
v ← 3×⍳n
v⍸0
⍝→ 0
v⍸3
⍝→ 1
v⍸44
⍝→ 14
v⍸45
⍝→ 15
v⍸1e9
⍝→ 15
v⍸0÷0
⍝→ 0
v⍸44 5
⍝→ 14 1
{v⍸⍵}¨¯1+⍳10
⍝→ 0 0 0 1 1 1 2 2 2 3
((n-14)↑v)⍸2
⍝→ 0
((n-14)↑v)⍸3 2
⍝→ 1 0
(n↓v)⍸3
⍝→ 0
(n↓v)⍸3 2
⍝→ 0 0
(v>20)⍸0
⍝→ 6
⍝ Whichever of equal keys a search meets, the answer is behind the last one.
(⌊v÷20)⍸1
⍝→ 13
⍝ One number: halves are at 8, 12, 14 and 15, then both ends.
w ← v ⋄ w[2] ← 1000
w⍸42
⍝→ 14
w⍸43
⍝→ 14
⍝ Few of many: 1024 keys are looked at for 103 numbers.
u ← ⍳n×1024 ⋄ u[3] ← 0
u⍸9000 15000 7681
⍝→ 9000 15000 7681
z ← ⍳n
(st k) ← ({(s k)←⍵ ⋄ (s+(k↑z)⍸k-1)(k+1)}⍣9)0 5
st
⍝→ 72
