⍝ Dfns: local names, guards, several lines, a default left argument, ambivalence, use before definition's end.
square←{⍵×⍵}
⎕←square 5
⍝→ 25
hypotenuse←{
    s←⍺ ⍵
    (+/s×s)*0.5
}
⎕←3 hypotenuse 4
⍝→ 5
sign←{
    ⍵>0:1
    ⍵<0:¯1
    0
}
⎕←sign 7
⍝→ 1
⎕←sign ¯7
⍝→ ¯1
⎕←sign 0
⍝→ 0
add←{⍺←100 ⋄ ⍺+⍵}
⎕←add 1
⍝→ 101
⎕←2 add 1
⍝→ 3
⎕←{⍺+⍵}/⍳4
⍝→ 10
twice←{⍵+{⍵×2}⍵}
⎕←twice 4
⍝→ 12
x←5
f←{x+⍵}
x←7
⎕←f 1
⍝→ 8
g←{x←⍵ ⋄ x+1}
⎕←g 1
⍝→ 2
⎕←x
⍝→ 7
