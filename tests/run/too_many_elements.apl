⍝ A shape whose product would wrap to 0 (2*32 by 2*32) is refused, not summed to 0.
n ← ⎕ArgInt 'n' 4294967296
⎕←+/,(2 2)⍴1
⍝→ 4
⎕←+/,(n n)⍴1
⍝✗ too_many_elements.apl:5:11: LIMIT ERROR: too many elements
