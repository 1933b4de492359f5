⍝ Indexed assignment is not there yet.
v←⍳5
v[2]←20
⎕←v
