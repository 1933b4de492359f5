⍝ run: emit --to=core
⍝ core: whether positions that go up by a step of run time are all different is asked of the step
s←⎕ArgInt 's' 3
k←⎕ArgInt 'k' 4
v←(⎕ArgInt 'n' 50)⍴0
v[k+s×⍳k]←⌽⍳k
