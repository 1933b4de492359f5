⍝ Expand: a zero makes a fill element, a negative count several.
n←⎕ArgInt 'n' 2
1 0 1\5 6
⍝→ 5 0 6
1 0 n ¯1\5 6
⍝→ 5 0 6 6 0
1 0 1\2 2⍴⍳4
⍝→ 1 0 2
⍝→ 3 0 4
1 0 1⍀2 2⍴⍳4
⍝→ 1 2
⍝→ 0 0
⍝→ 3 4
1 0 1\'ab'
⍝→ a b
1 0 1\7
⍝→ 7 0 7
((⍳4)≠n)\'abc'
⍝→ a bc
