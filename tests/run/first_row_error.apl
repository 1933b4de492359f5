⍝ Of rows that fail in a reduction the first is told, whichever work-item has it.
n←⎕ArgInt 'n' 300000
v←⍳n
is←v+(v>70001)×1000000×v-70001
⎕←+/v[is]
⍝✗ first_row_error.apl:5:5:
⍝✗ INDEX ERROR: 1070002 of 300000
