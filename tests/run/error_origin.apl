⍝ An index error counts from the program's origin.
⎕IO←0
v←⍳⎕ArgInt 'n' 3
⎕←v[v]
⍝→ 0 1 2
m←3 3⍴v
m[1;v+1]
⍝✗ error_origin.apl:7:1: INDEX ERROR: 3 of 3
