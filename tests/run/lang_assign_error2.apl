⍝ One position of several beyond its own axis, though not beyond the array.
m←3 3⍴0
m[1 2;⎕ArgInt 'n' 4]←1
⎕←m
⍝✗ INDEX ERROR: 4 of 3
