⍝ Steps whose results move apart, by rotations and reversals of what one map makes: the loop carries what they are views
⍝ of. Here of few rows and many, none, no step, in matrices, and in loops that end by what they computed. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 67
sum ← {+/⍵×1+5|¯1+⍳≢⍵}
collide ← {(a b c) ← ⍵ ⋄ s ← a+b+c ⋄ e ← 7|s×a-c ⋄ (101|a+e)(101|b+s-2×e)(101|c+e×s)}
move ← {(a b c) ← ⍵ ⋄ (1⌽a)b(¯2⌽c)}
one ← {(a b c) ← ({move collide ⍵}⍣⍵)(7|⍺×⍺)(5|⍺)(3|⍺) ⋄ (sum a),(sum b),sum c}
((⍳n-66)one 3)((⍳n-65)one 3)((⍳n-64)one 3)((⍳n)one 3)((⍳n)one n-67)((⍳n-67)one 2)
⍝→ 1 22 1
⍝→ 26 134 192
⍝→ 66 204 126
⍝→ 1808 8925 8657
⍝→ 404 395 201
⍝→ 0 0 0
⍝ reversals too, and both along one axis
turn ← {(a b c) ← collide ⍵ ⋄ (⌽1⌽a)(b)(3⌽⌽c)}
two ← {(a b c) ← (turn⍣⍵)(7|⍺×⍺)(5|⍺)(3|⍺) ⋄ (sum a),(sum b),sum c}
((⍳n-65)two 4)((⍳n-62)two 5)((⍳n)two 3)
⍝→ 31 60 17
⍝→ 250 539 804
⍝→ 1929 10024 8192
⍝ a lattice, whose sums are wanted in each step
matrix ← {+/,⍵×(⍴⍵)⍴13|⍳×/⍴⍵}
plane ← {(a b c t) ← ⍵ ⋄ (a b c) ← collide a b c ⋄ (1⌽¯1⊖a)(⍉⍉b)(⊖2⌽c)(t+matrix a)}
i ← 5 7⍴⍳n
(a b c t) ← (plane⍣4)(7|i×i)(5|i)(3|i)0
⎕ ← (matrix a)(matrix b)(matrix c)t
⍝→ 2383 9497 9323 6031
⍝ until there are enough
(a b c t) ← ({(a b c t) ← ⍵ ⋄ (a b c) ← move collide a b c ⋄ a b c(t+1)}⍣{(a b c t) ← ⍺ ⋄ (t=50)∨94<⌈/,a-b})(7|i×i)(5|i)(3|i)0
⎕ ← t
⍝→ 33
