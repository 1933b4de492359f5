⍝ Random numbers lie in their range, and the same seed draws the same.
⎕RL←42
a←?1000⍴6
⎕←(⌊/a),⌈/a
⍝→ 1 6
⎕RL←42
b←?1000⍴6
⎕←∧/a=b
⍝→ 1
r←?100⍴0
⎕←∧/(r>0)∧r<1
⍝→ 1
