⍝ That a position is in bounds tells by the way that the array is not empty: its first element is read behind that check, also
⍝ where this is one pass with what stands before.
m ← ⎕ArgInt 'm' 0
a ← 7×⍳m
b ← +\a
r ← a
r +← 1+m|b
r[1+m|1] +← 1
s ← b
s[(⊃b)+⍳2] ← 2
⎕ ← (+\a)[1+m|b]
⎕ ← ⌈/⌊\s
⍝✗ check_by_the_way.apl:8:1:
⍝✗ INDEX ERROR: 2 of 0
