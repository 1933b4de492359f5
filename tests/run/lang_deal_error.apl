⍝ More different numbers than there are.
⎕←(⎕ArgInt 'n' 7)?6
⍝✗ DOMAIN ERROR
