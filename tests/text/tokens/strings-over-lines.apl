⍝ run: emit --to=tokens
⍝ A string that is closed in a later line goes on there.
s←'one
two' ⋄ t←"a
b"
u
