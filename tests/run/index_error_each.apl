⍝ An index out of bounds inside an each.
v←⍳10
⎕←+/{v[⍵]}¨⍳1+⎕ArgInt 'n' 10
⍝✗ index_error_each.apl:3:
⍝✗ INDEX ERROR
