⍝ What goes over equally many rows in one kernel, though neither reads what the other does: reductions of two arrays, maps
⍝ of two, both; in loops too. Sums of the first numbers are known: n × n+1 over 2.
n ← ⎕ArgInt 'n' 2000
a ← ({⍵+1}⍣2)(⍳n)-2
b ← ({⍵×2}⍣2)⌽⍳n
⎕ ← (+/a),+/b
⍝→ 2001000 8004000
⎕ ← (⌈/a)+⌊/b
⍝→ 2004
⎕ ← (+/a)-(⌈/b)-+/a>b
⍝→ 1993400
(p q) ← ({(x y) ← ⍵ ⋄ s ← (+/x)-+/y ⋄ (x+×s)(y-×s)}⍣3)a(b÷8)
⎕ ← (+/p),+/q
⍝→ 2007000 994500
(p q) ← ({(x y) ← ⍵ ⋄ m ← ⌈/x ⋄ w ← 1⌽2×y ⋄ (m-x)(w÷2)}⍣5)a b
⎕ ← (+/p),(+/q),3↑q
⍝→ 1999000 8004000 7980 7976 7972
e ← n⍴0 ⋄ f ← 0⌿a
⎕ ← (+/f),(⌈/0⌿b),+/e
⍝→ 0 ¯9223372036854775808 0
