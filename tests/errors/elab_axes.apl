⍝ Axes and transposes.
n←⎕ArgInt 'n' 3
m←2 3⍴⍳6
+/[3]m
⌽[0]m
+/[n]m
+/[1.5]m
1 2 3⍉m
2 2⍉m
1 3⍉m
(n,1)⍉m
1 2 3⌽m
(2 2⍴1)⌽m
1 2⌽⍳5
