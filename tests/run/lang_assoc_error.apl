⍝ The arrays of a tuple have one length.
n ← ⎕ArgInt 'n' 4
({⍺+⍵} ⎕ASSOC 0 0)/(n⍴1)(⍳3)
⍝✗ lang_assoc_error.apl:3:19: LENGTH ERROR: 4 and 3
