⍝ Matrices print with columns aligned on the right; higher ranks as planes.
⎕←2 3⍴⍳6
⍝→ 1 2 3
⍝→ 4 5 6
⎕←2 2⍴1 10 ¯5 2
⍝→  1 10
⍝→ ¯5  2
⎕←2 2 2⍴⍳8
⍝→ 1 2
⍝→ 3 4
⍝→
⍝→ 5 6
⍝→ 7 8
⎕←3 3⍴'abcdefghi'
⍝→ abc
⍝→ def
⍝→ ghi
⎕←1 1⍴7
⍝→ 7
