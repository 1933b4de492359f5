⍝ The length of an array that nobody stores, and whose sum with another's would be negative.
n←⎕ArgInt 'n' 9223372036854775807
⎕←⍴(n⍴1),1 2
⍝✗ limit_length.apl:3:6: LIMIT ERROR: too many elements
