⍝ What a filter asks of its rows can fail: of rows that are wanted from the last on, the first one's error comes first.
n ← ⎕ArgInt 'n' 10
v ← 2×⍳n
is ← 3 4 12 5 11
⎕ ← ⌽(5<v[10⌊is])/is
⍝→ 11 5 12 4 3
⎕ ← ⌽(5<v[is])/is
⍝✗ shown_parts_error.apl:7:9:
⍝✗ INDEX ERROR: 12 of 10
