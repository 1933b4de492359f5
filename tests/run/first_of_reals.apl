⍝ The first of an order of reals: nan after all others, also after infinities that are what nothing is less than; all nans equal; 0 and -0
⍝ equal; of equal items the lowest position. In rows that vectors compute, in rows of many lengths, and in one long vector.
nan ← 0÷0
inf ← ÷0
zero ← ⎕ArgInt 'zero' 0
items ← nan,inf,(-inf),zero,(-zero÷5),1.5 ¯1.5
m ← ⌷items[1+7|((¯1+⍳9)∘.×i×i)+((¯1+⍳9)∘.+3×i←¯1+⍳1)]
⎕ ← ({⊃⍋⍵}⍤1)m
⍝→ 1 1 1 1 1 1 1 1 1
⎕ ← ({⊃⍒⍵}⍤1)m
⍝→ 1 1 1 1 1 1 1 1 1
m ← ⌷items[1+7|((¯1+⍳9)∘.×i×i)+((¯1+⍳9)∘.+3×i←¯1+⍳8)]
⎕ ← ({⊃⍋⍵}⍤1)m
⍝→ 4 6 1 2 1 2 5 4 6
⎕ ← ({⊃⍒⍵}⍤1)m
⍝→ 6 1 4 1 3 1 2 6 1
m ← ⌷items[1+7|((¯1+⍳9)∘.×i×i)+((¯1+⍳9)∘.+3×i←¯1+⍳33)]
⎕ ← ({⊃⍋⍵}⍤1)m
⍝→ 4 6 1 2 1 2 5 4 6
⎕ ← ({⊃⍒⍵}⍤1)m
⍝→ 6 1 4 1 3 1 2 6 1
m ← ⌷5 8⍴(8⍴nan),(8⍴inf),nan,(7⍴inf),(8⍴-inf),nan,(-inf),6⍴nan
⎕ ← ({⊃⍋⍵}⍤1)m
⍝→ 1 1 2 1 2
⎕ ← ({⊃⍒⍵}⍤1)m
⍝→ 1 1 2 1 2
v ← ⌷(70⍴nan),(30⍴inf),(5⍴nan),(9⍴-inf),3⍴inf
⎕ ← (⊃⍋v),⊃⍒v
⍝→ 106 71
v ← ⌷(70⍴nan),(30⍴inf),5⍴nan
⎕ ← (⊃⍋v),⊃⍒v
⍝→ 71 71
v ← ⌷(70⍴nan),(30⍴-inf),5⍴nan
⎕ ← (⊃⍋v),⊃⍒v
⍝→ 71 71
⎕ ← (⊃⍋100⍴nan),⊃⍒100⍴nan
⍝→ 1 1
⎕ ← ({⊃⍋⍵}⍤1)3 0⍴zero÷2
⍝→ 0 0 0
y ← ⌷(1000|7919×⍳10007)÷1000
c ← 8⍴0.1 0.5 0.3 0.9 0.7
⎕ ← +/({⊃⍋⍵}⍤1)|y∘.-c
⍝→ 29994
p ← ⌷({⊃⍒⍵}⍤1)|y∘.-c
⎕ ← (+/p),+/p×⍳≢p
⍝→ 25010 125142549
