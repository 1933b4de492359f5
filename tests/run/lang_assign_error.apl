⍝ A position beyond the axis.
v←⍳5
v[⎕ArgInt 'n' 6]←1
⎕←v
⍝✗ INDEX ERROR: 6 of 5
