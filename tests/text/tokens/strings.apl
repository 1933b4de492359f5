⍝ run: emit --to=tokens
'a' 'it''s' '' "say ""no""" "x"
