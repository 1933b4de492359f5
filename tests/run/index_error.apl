⍝ An index out of bounds, in a kernel: the first message counts, nothing else is printed.
v←10 20 30
n←⎕ArgInt 'n' 5
⎕←v[⍳n]
⍝✗ index_error.apl:4:
⍝✗ INDEX ERROR
