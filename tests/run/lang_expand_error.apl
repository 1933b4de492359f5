⍝ As many positive counts as there are items.
v←⍳⎕ArgInt 'n' 3
⎕←1 0 1\v
⍝✗ LENGTH ERROR: 2 and 3
