⍝ run: emit --to=tail
⎕←+/2×⍳⎕ArgInt 'n' 3
