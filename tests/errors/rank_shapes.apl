⍝ The rank operator with results of several shapes.
n←⎕ArgInt 'n' 3
⎕←({⍳⍵[1]}⍤1)2 2⍴n
⎕←({⍵/⍳2}⍤1)n 2⍴1 0 0 1
