⍝ A part that is read beyond its array: the error has the first position that is not there.
n ← ⎕ArgInt 'n' 5
v ← ⍳n
⎕ ← v[1+⍳n-1]
⍝→ 2 3 4 5
⎕ ← v[3×⍳n-2]
⍝✗ INDEX ERROR: 6 of 5
