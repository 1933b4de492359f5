⍝ What a mask keeps, and where: one filter for both, though the size of the positions comes after the first.
v ← (⍳⎕ArgInt 'n' 12)-6
b ← 0<3|v
⎕ ← b/v
⍝→ ¯5 ¯4 ¯2 ¯1 1 2 4 5
⎕ ← ⍸b
⍝→ 1 2 4 5 7 8 10 11
⎕ ← (⍸b)×b/v
⍝→ ¯5 ¯8 ¯8 ¯5 7 16 40 55
⎕ ← b/v*2
⍝→ 25 16 4 1 1 4 16 25
⎕ ← +/b
⍝→ 8
