⍝ run: emit --to=tail
⍝ A guard is an if whose branches have one type; a known condition leaves one branch.
n←⎕ArgInt 'n' 2
half←{⍵>10:⍵÷2 ⋄ ⍵}
x←half n
y←half¨⍳n
z←half 12
