⍝ A width that the compiler knows, and that is beyond 32 bits' reach once its positions are multiplied.
⍝ backends: c opencl
⍝ (the interpreter would take minutes)
⎕ ← ⌈/3×⍳1200000000
⍝→ 3600000000
