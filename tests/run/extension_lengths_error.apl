⍝ Two elements are not extended to none.
v←⍳⎕ArgInt 'n' 0
⎕←v+0 0,¯2↓v
⍝✗ LENGTH ERROR: 0 and 2
