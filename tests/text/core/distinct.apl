⍝ run: emit --to=core
⍝ core: positions of which none stands twice are written at once (scatter); of others the last value is found first, or one
⍝ comes after the other (hist): a mask may be longer than the one item that it keeps again and again
n←⎕ArgInt 'n' 5
v←⌽⍳n
v[(v>2)/⍳n]-←1
v[⌽1+⍳n-1]←⍳n-1
v[v]←⍳n
one←⎕ArgInt 'one' 1
v[(v>2)/⍳one]←v[⍳n]
