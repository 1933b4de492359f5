⍝ Operations on the bits of integers.
⎕←12 ⎕INT32AND 10
⍝→ 8
⎕←12 ⎕INT32OR 10
⍝→ 14
⎕←12 ⎕INT32XOR 10
⍝→ 6
⎕←1 ⎕INT32SHL 4
⍝→ 16
⎕←64 ⎕INT32SHR 3
⍝→ 8
