⍝ Lengths that do not agree, found at run time; what was printed before stays.
n←⎕ArgInt 'n' 4
⎕←1
⎕←(⍳3)+⍳n
⎕←2
⍝→ 1
⍝✗ length_error.apl:4:
⍝✗ LENGTH ERROR: 3 and 4
