⍝ A width that the compiler knows, and that is beyond 32 bits' reach once its positions are multiplied.
⍝ backends: c opencl
⍝ (the interpreter would take minutes)
⎕ ← ⌈/8×⍳300000000
⍝→ 2400000000
