⍝ Too many indices, an index of a scalar, and of the last number of a list, where the list is meant.
v←⍳3
⎕←v[1;2]
x←5
⎕←x[1]
⎕←1 2 3[2]
