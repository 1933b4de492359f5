⍝ A count whose magnitude is no int is too large, not wrapped.
⎕←(1 0,-9223372036854775807+⎕ArgInt 'n' 1)\5
⍝✗ ERROR
