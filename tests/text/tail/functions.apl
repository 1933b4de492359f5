⍝ run: emit --to=tail --no-instances
n←⎕ArgInt 'n' 3
⎕←({⍵×2}⍣n)1
⎕←{⍵>0.5:⍵ ⋄ 0}¨⍳n
⎕←-\⍳n
