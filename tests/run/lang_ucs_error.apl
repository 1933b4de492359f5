⍝ A code that is no character's.
⎕←⎕UCS ⎕ArgInt 'n' 55296
⍝✗ DOMAIN ERROR: 55296 is no character's code
