⍝ Take and drop of the first axes: fewer numbers than axes leave the rest as it is.
m←3 4⍴⍳12
1↓m
⍝→ 5  6  7  8
⍝→ 9 10 11 12
¯1↑m
⍝→ 9 10 11 12
4↑m
⍝→ 1  2  3  4
⍝→ 5  6  7  8
⍝→ 9 10 11 12
⍝→ 0  0  0  0
1 ¯1↓2 3 2⍴⍳12
⍝→ 7  8
⍝→ 9 10
⍬↑m
⍝→ 1  2  3  4
⍝→ 5  6  7  8
⍝→ 9 10 11 12
n←⎕ArgInt 'n' 1
(n↓m)≡m[2 3;]
⍝→ 1
(,n)↑[2]m
⍝→ 1
⍝→ 5
⍝→ 9
2↑2 2⍴'ab' 'cd' 'ef' 'gh'
⍝→ ab
⍝→ cd
⍝→ ef
⍝→ gh
1↓3 2⍴'ab' 'cd' 'ef' 'gh' 'ij' 'kl'
⍝→ ef
⍝→ gh
⍝→ ij
⍝→ kl
(2↑m)←0
m
⍝→ 0  0  0  0
⍝→ 0  0  0  0
⍝→ 9 10 11 12
