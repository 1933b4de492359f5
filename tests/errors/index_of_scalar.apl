⍝ Too many indices, and an index of a scalar.
v←⍳3
⎕←v[1;2]
x←5
⎕←x[1]
