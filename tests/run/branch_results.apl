⍝ What goes over what branches give: a sum, a view of it, a filter's count, a scan, a size that the branch decides; where
⍝ others use it, too; and in a loop, whose state it becomes.
n←⎕ArgInt 'n' 10
v←7|⍳n
yes←n>5
no←n>50
a←yes{⍺:⍵+1 ⋄ ⍵×2}v
b←no{⍺:⍵+1 ⋄ ⍵×2}v
+/a
⍝→ 37
+/b
⍝→ 54
c←yes{⍺:⌽⍵ ⋄ ⍵}v
d←no{⍺:⌽⍵ ⋄ ⍵}v
+/c×⍳≢c
⍝→ 150
+/d×⍳≢d
⍝→ 147
e←yes{⍺:3↓⍵ ⋄ ⍵×2}v
f←no{⍺:3↓⍵ ⋄ ⍵×2}v
+/(⌽3×e)×⍳≢e
⍝→ 294
+/(⌽3×f)×⍳≢f
⍝→ 900
≢(e>2)/e
⍝→ 4
≢(f>2)/f
⍝→ 7
g←yes{⍺:⍵-3 ⋄ ⍵}v
⌈/g
⍝→ 3
+\g
⍝→ ¯2 ¯3 ¯3 ¯2 0 3 0 ¯2 ¯3 ¯3
h←no{⍺:+\⍵ ⋄ 1+⍵}v
⍴h
⍝→ 10
h[3]++/h
⍝→ 41
⍝ Sums of 24, 66 and 159: 2v+2, 4v+7, 4v+8+2.
{w←(0=2|+/⍵){⍺:⍵×2 ⋄ ⍵+1}⍵ ⋄ w+5|⌈/w}⍣3⊢9↑v
⍝→ 14 18 22 26 30 34 10 14 18
