⍝ The left argument of ⍸ must ascend.
⎕←(⌽⍳⎕ArgInt 'n' 3)⍸2
⍝✗ DOMAIN ERROR
