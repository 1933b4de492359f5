⍝ Bracket indexing: vectors, matrices, elided axes, arrays of indices.
v←10 20 30 40
⎕←v[2]
⍝→ 20
⎕←v[4 1]
⍝→ 40 10
⎕←v[2 2⍴⍳4]
⍝→ 10 20
⍝→ 30 40
m←2 3⍴⍳6
⎕←m[2;3]
⍝→ 6
⎕←m[2;]
⍝→ 4 5 6
⎕←m[;2]
⍝→ 2 5
⎕←m[2 1;3 1]
⍝→ 6 4
⍝→ 3 1
⎕←'abc'[3 2 1]
⍝→ cba
⎕←(⍳5)[3]
⍝→ 3
i←⎕ArgInt 'i' 2
⎕←v[i]
⍝→ 20
⎕←(2×⍳5)⍳6 7
⍝→ 3 6
