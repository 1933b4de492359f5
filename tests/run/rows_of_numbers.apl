⍝ A few numbers that each row is reduced to, as a row: written where the row ends, and what is made of them there, too. And a few
⍝ sums by numbers that are made for each row. Each is compared with the same, done for all rows at once.
r ← ⎕ArgInt 'r' 7 ⋄ c ← ⎕ArgInt 'c' 20
m ← r c⍴({⍵+1}⍣2)7|⍳r×c
w ← c 3⍴({⍵+1}⍣2)5|⍳3×c
p ← {(+/⍵),⌈/⍵}⍤1⊢m
⎕ ← ∧/,p=⍉(+/m)⍪[0.5]⌈/m
⍝→ 1
⎕ ← ∧/,({(+/⍵),(⌈/⍵),(⌊/⍵),(+/⍵×⍵),≢⍵}⍤1⊢m)=⍉((+/m),[0.5]⌈/m)⍪((⌊/m),[0.5]+/m*2)⍪c
⍝→ 1
⎕ ← ∧/,(⍉{(+/⍵),⌈/⍵}⍤1⊢m)=(+/m),[0.5]⌈/m
⍝→ 1
⎕ ← ∧/(+⌿{(+/⍵),⌈/⍵}⍤1⊢m)=(+/,m),+/⌈/m
⍝→ 1
⎕ ← ∧/,({(+/⍵),⌈/⍵}⍤1⍉m)=⍉(+⌿m),[0.5]⌈⌿m
⍝→ 1
⎕ ← ∧/,({(+/⍵)÷(≢⍵),⌈/⍵}⍤1⊢m)=((+/m)∘.÷c,1)÷⍉(r⍴1),[0.5]⌈/m
⍝→ 1
k ← 2 r c⍴(,m),,m+1
⎕ ← ∧/,({(⌈/⍵),+/⍵}⍤1⊢k)=(⌈/k),[2.5]+/k
⍝→ 1
⎕ ← ∧/,({(+/⍵>3),0.5×⌈/⍵}⍤1⊢m)=⍉(+/m>3),[0.5]0.5×⌈/m
⍝→ 1
⎕ ← ∧/,({⌽(+/⍵),⌈/⍵}⍤1⊢m)=⌽p
⍝→ 1
(x s) ← ({(x s) ← ⍵ ⋄ t ← {(+/⍵),⌈/⍵}⍤1⊢x ⋄ (x-1)(s+t)}⍣3)m(r 2⍴0)
⎕ ← ∧/,s=(3×p)-(r 2)⍴(3×c),3
⍝→ 1
⎕ ← ∧/,1e¯9>|({(⍵÷1+⌈/⍵)+.×w}⍤1⊢m)-(m÷1+⍉c r⍴⌈/m)+.×w
⍝→ 1
⎕ ← ∧/,({v←⍵×⍵ ⋄ (v+.×w)-v+.×w*2}⍤1⊢m)=(m*2)+.×w-w*2
⍝→ 1
⎕ ← ∧/,({v←⍵*2 ⋄ (v+.×w),v[2]}⍤1⊢m)=((m*2)+.×w),m[;2]*2
⍝→ 1
⎕ ← ∧/,({(+/⍵),(∧/⍵),∨/⍵}⍤1⊢m>2)=⍉(+/m>2)⍪(∧/m>2),[0.5]∨/m>2
⍝→ 1
⎕ ← {'ab'[1+(∧/⍵),∨/⍵]}⍤1⊢m>2
⍝→ ab
⍝→ ab
⍝→ ab
⍝→ ab
⍝→ ab
⍝→ ab
⍝→ ab
⍝ bodies that attract each other, a step: the sums of all forces are none
x ← (5 3⍴({⍵+1}⍣2)11|⍳15)÷7
f ← {d ← x-(⍴x)⍴⍵ ⋄ s ← 0.01++/d×d ⋄ (÷s×s*0.5)+.×d}⍤1⊢x
⎕ ← ∧/1e¯9>|+⌿f
⍝→ 1
