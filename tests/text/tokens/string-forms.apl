⍝ run: emit --to=tokens
⍝ One character in single quotes is a scalar, in double quotes a vector; a doubled quote is one.
'abc' 'x' '' ''''
"abc" "x" "" """"
'it''s' "say ""hi""" 'a"b' "it's"
'⍝ no comment' 'é' '日本'
'a''' '''a' 'a' 'b'
