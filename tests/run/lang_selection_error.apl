⍝ Fill is no item that could be assigned.
n←⎕ArgInt 'n' 5
v←⍳n
(8↑v)←0
v
⍝✗ INDEX ERROR: 6 of 5
