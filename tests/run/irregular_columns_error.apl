⍝ Of what is checked for a group, and for a column of one, the first group's error comes first.
c ← ⎕ArgInt 'c' 3
n ← ⎕ArgInt 'n' 7
a ← 3 1 4
b ← 5 6
k ← 1+2|⍳n
k[n] ← 9
m ← (n c)⍴3 1 4 1 5 9 2 6
⎕ ← k{x←a[⍺⌊3] ⋄ {x++/b[1⌈2⌊⍵]}⍤1⊢⍉⍵}⌸m
⍝→ 19 18 19
⍝→ 19 21 19
⍝→ 10  9 10
⎕ ← k{x←a[⍺] ⋄ {x++/b[⍵]}⍤1⊢⍉⍵}⌸m
⍝✗ irregular_columns_error.apl:13:21:
⍝✗ INDEX ERROR: 3 of 2
