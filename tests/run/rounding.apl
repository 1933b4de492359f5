⍝ Floor and ceiling of reals are ints; dyadic they are minimum and maximum.
⎕←⌊2.7 ¯2.7 3
⍝→ 2 ¯3 3
⎕←⌈2.2 ¯2.2 3
⍝→ 3 ¯2 3
⎕←5⌊3 8
⍝→ 3 5
⎕←5⌈3 8
⍝→ 5 8
⎕←2.5⌈1 3
⍝→ 2.5 3
