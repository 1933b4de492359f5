⍝ A matrix without inverse.
n←⎕ArgInt 'n' 2
⎕←⌹n 2⍴1 2 2 4
⍝✗ DOMAIN ERROR
