⍝ A negative length is an error with a place.
n←⎕ArgInt 'n' ¯3
⎕←n⍴1
⍝✗ limit_error.apl:3:
⍝✗ ERROR
