⍝ Of rows that fail in the rows of a matrix the first is told, whichever work-item has it.
m←200 1500⍴⍳300000
v←⍳300000
⎕←+/{+/v[⍵+(⍵>70001)×1000000×⍵-70001]}⍤1⊢m
⍝✗ first_row_segments_error.apl:4:8:
⍝✗ INDEX ERROR: 1070002 of 300000
