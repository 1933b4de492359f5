⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_SCAN=look-back
⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_SCAN=phases
⍝ Of rows that fail in a scan the first is told, whichever work-item has it.
n←⎕ArgInt 'n' 300000
v←⍳n
is←v+(v>70001)×1000000×v-70001
⎕←+/+\v[is]
⍝✗ first_row_scan_error.apl:7:7:
⍝✗ INDEX ERROR: 1070002 of 300000
