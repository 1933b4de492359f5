⍝ run: emit --to=core
n←⎕ArgInt 'n' 3
⎕←(⍳n)+1 2 3
