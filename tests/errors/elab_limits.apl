⍝ Functions that call each other without end, and values that double at every call.
n←⎕ArgInt 'n' 3
f←{⍺⍺ ⍵ ⍵}
({⍵}f f f f f f f f f f f f f f f f f f f f f f f f f f)n
even←{odd ⍵-1}
odd←{even ⍵-1}
even n
