⍝ The first of an order is found without sorting: the lowest position of equal items, nan after all others, 0 of none;
⍝ in rows, in groups, and where the order is wanted for something else, too.
v ← 5 3 9 1 4 1 9
⎕ ← (⊃⍋v),⊃⍒v
⍝→ 4 3
none ← ⎕ArgInt 'none' 0
⎕ ← (⊃⍋none↑v),(⊃⍒none↑v÷2),⊃⍋none↑'abc'
⍝→ 0 0 0
⎕ ← (⊃⍋'banana'),⊃⍒'banana'
⍝→ 2 3
⎕ ← (⊃⍋0 1 1 0=1),⊃⍒0 1 1 0=1
⍝→ 1 2
nan ← 0÷0
⎕ ← (⊃⍋nan,2.5 ¯1 2.5,nan),⊃⍒nan,2.5 ¯1 2.5,nan
⍝→ 3 2
⎕ ← (⊃⍋nan,nan),⊃⍒nan,nan
⍝→ 1 1
inf ← ÷0
⎕ ← (⊃⍋nan,inf),(⊃⍒nan,-inf),(⊃⍋inf,-inf),⊃⍒inf,-inf
⍝→ 2 2 2 1
zero ← 0×⍳2
⎕ ← (⊃⍋(-zero[1]÷5),0.0,3),(⊃⍋0.0,(-zero[2]÷5)),⊃⍒0.0,-zero[1]÷5
⍝→ 1 1 1
big ← ⌊2*63
small ← -9223372036854775807
⎕ ← (⊃⍋5 9223372036854775807),(⊃⍋9223372036854775807 9223372036854775807),⊃⍒small,small-1
⍝→ 1 1 1
g ← ⍋v
⎕ ← g[2],⊃g
⍝→ 6 4
⎕ ← (⊃⍋v)⊃v
⍝→ 1
n ← 40000
w ← 1000003|7919×⍳n
⎕ ← (w⍳⌊/w)=⊃⍋w
⍝→ 1
⎕ ← (w⍳⌈/w)=⊃⍒w
⍝→ 1
⎕ ← (⊃⍒3|w)=(3|w)⍳2
⍝→ 1
m ← 3 4⍴5 2 2 9 1 1 0 1 8 7 9 9
⎕ ← ({⊃⍋⍵}⍤1)m
⍝→ 2 3 2
⎕ ← ({⊃⍒⍵}⍤1)m
⍝→ 4 1 3
⎕ ← (3|⍳9){⊃⍒⍵}⌸5 2 7 5 3 9 1 1 9
⍝→ 1 2 2
⎕ ← {x ← ⍵ ⋄ x[⊃⍋x] ← 9 ⋄ x}4 1 2
⍝→ 4 9 2
