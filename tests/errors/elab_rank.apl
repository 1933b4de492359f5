⍝ The rank operator: frames, ranks, and results of several shapes.
n←⎕ArgInt 'n' 3
(1 2 3+⍤1⊢2 2⍴1)
(2 3⍴1)(+⍤0 1)2 2⍴1
(+/⍤n)2 2⍴1
(+/⍤1 2 3 4)2 2⍴1
(+/⍤1.5)2 2⍴1
