⍝ Of the positions up to the greatest integer one more is counted than there are.
n←⎕ArgInt 'n' 9223372036854775807
⎕←⍴2↓⍳n
⍝✗ limit_positions.apl:3:6: LIMIT ERROR: too many elements
