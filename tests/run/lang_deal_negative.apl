⍝ Fewer than no numbers.
⎕←(-⎕ArgInt 'n' 1)?5
⍝✗ DOMAIN ERROR
