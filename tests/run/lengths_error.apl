⍝ Arrays from files of other lengths: what was printed before stays.
a←⎕ReadIntVecFile 'data/lengths_a.txt' ⋄ b←1↓⎕ReadIntVecFile 'data/lengths_b.txt'
⎕←2×b
⍝→ 14 2 16 4 16 2 16
⎕←+/a×b
⍝✗ lengths_error.apl:5:6: LENGTH ERROR: 8 and 7
⍝✗   ⎕←+/a×b
⍝✗        ^
