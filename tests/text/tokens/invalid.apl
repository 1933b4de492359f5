⍝ run: emit --to=tokens
⍝ What cannot be a token is reported and stands as an invalid one.
1.2.3 5x 1E 3J ¯ ¯x 1E999 2¯3
a # b
⍞ → ∇∇
'open
