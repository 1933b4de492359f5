⍝ Transpose, also by a list of axes; a repeated axis is a diagonal.
m←2 3⍴⍳6
⎕←⍉m
⍝→ 1 4
⍝→ 2 5
⍝→ 3 6
⎕←⍴⍉2 3 4⍴0
⍝→ 4 3 2
⎕←⍴2 1 3⍉2 3 4⍴0
⍝→ 3 2 4
⎕←⍴3 1 2⍉2 3 4⍴0
⍝→ 3 4 2
⎕←1 1⍉3 3⍴⍳9
⍝→ 1 5 9
⎕←⍉⍳3
⍝→ 1 2 3
⎕←+/⍉m
⍝→ 5 7 9
