⍝ All that meet have one element.
a←⎕ReadIntVecFile 'data/lengths_one.txt' ⋄ b←⎕ReadIntVecFile 'data/lengths_one.txt'
⎕←a×b
⍝→ 100
⎕←+/a+b
⍝→ 20
⎕←(a-b),a
⍝→ 0 10
