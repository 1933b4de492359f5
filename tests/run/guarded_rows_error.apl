⍝ What branches of rows check fails where the branch is taken alone: here first in row 4, whose branch it is, and not in 2.
n←⎕ArgInt 'n' 70
m←(6 n)⍴(⍳6×n)
m[2;1]←¯3
m[4;2]←500
m[5;2]←600
⎕←{(⍵[1])<0: ⌈/+\⍵ ⋄ x←⍵[1+(⍵[2]>400)×⍵[2]] ⋄ +/x×+\⍵}⍤1⊢m
⍝✗ guarded_rows_error.apl:7:24:
⍝✗ INDEX ERROR: 501 of 70
