⍝ Characters and their codes.
n←⎕ArgInt 'n' 65
⎕UCS 'Aa⍺'
⍝→ 65 97 9082
⎕UCS n
⍝→ A
⎕UCS 72 101 108 108 111
⍝→ Hello
⎕UCS 1+⎕UCS 'HAL'
⍝→ IBM
⎕A[3 1 2]
⍝→ CAB
+/⎕UCS ⎕D
⍝→ 525
