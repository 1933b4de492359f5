⍝ Residue has the sign of the divisor and takes reals; by 0 it is the argument.
⎕←3|5 ¯5 6
⍝→ 2 1 0
⎕←¯3|5 ¯5
⍝→ ¯1 ¯2
⎕←3.5|¯5.2
⍝→ 1.8
⎕←0|7 ¯7
⍝→ 7 ¯7
⎕←1|2.75
⍝→ 0.75
