⍝ More values than places.
v←⍳5
v[1 2]←⍳⎕ArgInt 'n' 3
⎕←v
⍝✗ LENGTH ERROR: 3 and 2
