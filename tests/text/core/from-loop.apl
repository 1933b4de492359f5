⍝ run: emit --to=core
n←⎕ArgInt 'n' 3
⎕←({⍵×2}⍣n)1
