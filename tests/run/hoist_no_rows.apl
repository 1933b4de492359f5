⍝ What a function of no rows would compute for all of them: no memory is asked for.
n←⎕ArgInt 'n' 3000000000
k←⎕ArgInt 'k' 0
⎕←+/{⌈/⍵|+\3|⍳n}¨⍳k
⍝→ 0
⎕←{⍵+⌈/⍳5+⍵}¨⍳2×k+1
⍝→ 7 9
