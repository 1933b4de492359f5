⍝ On booleans ∧ ∨ are and, or; beyond them lowest common multiple and greatest common divisor.
⎕←~0 1
⍝→ 1 0
⎕←0 0 1 1∧0 1 0 1
⍝→ 0 0 0 1
⎕←0 0 1 1∨0 1 0 1
⍝→ 0 1 1 1
⎕←0 0 1 1⍲0 1 0 1
⍝→ 1 1 1 0
⎕←0 0 1 1⍱0 1 0 1
⍝→ 1 0 0 0
⎕←0 0 1 1≠0 1 0 1
⍝→ 0 1 1 0
⎕←12∧18
⍝→ 36
⎕←12∨18
⍝→ 6
⎕←∧/1 1 1
⍝→ 1
⎕←∨/0 0 0
⍝→ 0
