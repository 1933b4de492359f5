⍝ A window that is longer than the axis by more than one.
v←⍳⎕ArgInt 'n' 3
⎕←5+/v
⍝✗ LENGTH ERROR: 5 and 4
