⍝ What sorts each row of a matrix: medians, distinct items, counts by key, places; rows short, long, and of one item.
a←{⍵[⍋⍵][⌈0.5×≢⍵]}
b←{≢∪⍵}
c←{⌈/{≢⍵}⌸⍵}
d←{+/⍵×⍵⍳⍵}
e←{⊃⍵[⍒⍵]}
w←{(+/a⍤1⊢⍵),(+/b⍤1⊢⍵),(+/c⍤1⊢⍵),(+/d⍤1⊢⍵),+/e⍤1⊢⍵}
w 7 90⍴13|5×⍳640
w 3 1100⍴101|7×⍳3301
w 200 17⍴29|⍳3391
w 4 1⍴⍳4
⍝→ 42 91 49 26897 84
⍝→ 150 303 33 8388066 300
⍝→ 2787 3400 200 427505 5057
⍝→ 10 4 4 10 10
