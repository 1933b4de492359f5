⍝ run: emit --to=tree
⍝ A dfn without ⍺ and ⍵ is a function, a function in parentheses too.
one←{1}
one 0
3(one)4
(⍳)3
((+))/1 2
(+/)1 2
