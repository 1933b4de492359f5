⍝ Counts whose sum is no int.
n←⎕ArgInt 'n' 3
⎕←(9223372036854775807 9223372036854775807,n)/1 2 3
⍝✗ LIMIT ERROR: too many elements
