⍝ f⌺w: the window around each item; beyond the borders is fill.
n←⎕ArgInt 'n' 3
({+/⍵}⌺3)1 2 n 4
⍝→ 3 6 9 7
({+/,⍵}⌺3 3)n n⍴1
⍝→ 4 6 4
⍝→ 6 9 6
⍝→ 4 6 4
({⍵[2;2]}⌺3 3)2 3⍴⍳6
⍝→ 1 2 3
⍝→ 4 5 6
({⌈/,⍵}⌺1 3)2 3⍴⍳6
⍝→ 2 3 3
⍝→ 5 6 6
({+⌿⍵}⌺3)3 2⍴⍳6
⍝→ 4  6
⍝→ 9 12
⍝→ 8 10
⍝ one generation of Life: a blinker turns
life←{3=s-⍵∧4=s←{+/,⍵}⌺3 3⊢⍵}
life 5 5⍴0 0 0 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0 0 0
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
⍝→ 0 1 1 1 0
⍝→ 0 0 0 0 0
⍝→ 0 0 0 0 0
