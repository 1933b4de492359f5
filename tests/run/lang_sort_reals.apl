⍝ The order of many doubles: zeros of both signs are equal, infinities are at the ends, and NaNs come last in
⍝ either direction, as they stand.
⍝ also: opencl TAILOR_LANES=32
n←⎕ArgInt 'n' 600
w←(0.0,(-0.0×⍳n)),((n⍴0 ¯1.5 2.5 1E300 ¯1E300 1E¯320)×n⍴1 ¯1 1),(÷0),(-÷0),(0÷0),(-0÷0)
up←⍋w ⋄ down←⍒w
∧/(1↓¯2↓w[up])≥¯3↓w[up]
⍝→ 1
∧/(1↓¯2↓w[down])≤¯3↓w[down]
⍝→ 1
¯3↑up
⍝→ 1202 1204 1205
¯3↑down
⍝→ 1203 1204 1205
1↑up
⍝→ 1203
(⍋0.0×w[⍳n+1])≡⍳n+1
⍝→ 1
⍝ rows of a matrix, each by one work-item
m←3 (n÷3)⍴w[n+1+⍳n]
(⍋⍤1⊢m)≡3 (n÷3)⍴(⍋m[1;]),(⍋m[2;]),⍋m[3;]
⍝→ 1
