⍝ The least integer has no magnitude: as a number of items it is one of too many.
⍝ args: --k=-9223372036854775808
k ← ⎕ArgInt 'k' 0
k+/⍳5
⍝✗ windows_least_error.apl:4:3: LENGTH ERROR: 9223372036854775807 and 6
