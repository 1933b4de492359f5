⍝ Functions of rows that check positions in several parts, in loops and in branches: all rows are attempted together. (A model
⍝ in Python agrees.)
n ← ⎕ArgInt 'n' 40
m ← ⎕ArgInt 'm' 30
w ← (n m)⍴1+m|(7×⍳n×m)+⌊(⍳n×m)÷11
⍝ Positions that a sum, a scan and all elements give.
f ← {x←⍵[⌊(+/⍵)÷m] ⋄ s←⌈/+\⍵-x ⋄ y←⍵[1+m|s] ⋄ z←⍵[⍵] ⋄ q←z[1⌈⌊/⍵+⌈/z-y] ⋄ q+z×y+x}
r ← (f⍤1) w
⎕ ← (+/,r),⌈/+⌿r
⍝→ 531652 23275
⍝ In a loop.
g ← {⍵[⍵]⌊⍵[⍵⍳⌈/⍵]}
⎕ ← +/,(⍳m)×⍤1⊢((g⍣3)⍤1) w
⍝→ 272823
⍝ In a loop that rows end: down from a position, by what the row has there, until it is small.
h ← {row←⍵ ⋄ p←4⌈1+m|+/⍵ ⋄ {(row[⍵]+⌊/row)⌊⍵-1}⍣{4>⍺} p}
⎕ ← +/(⍳n)×(h⍤1) 1+m|w×w
⍝→ 2400
⍝ In branches, and in branches of these.
b ← {s←+/3↑⍵ ⋄ s>40: ⍵[⌊s÷9]+⌽+\⍵ ⋄ s>20: {⍵[⍵]}⍵[⍋⍵] ⋄ ⍵[s]×⍵}
⎕ ← +/,(⍳m)×⍤1⊢(b⍤1) w
⍝→ 2688607
⍝ Rows of matrices.
a ← (3 n m)⍴w
c ← {x←⍵[⌊(+/⍵)÷m] ⋄ y←⍵[x⌊⌈/⍵] ⋄ y+⌈/+\x×⍵}
⎕ ← (c⍤1) a[;⍳5;]
⍝→ 7889 9145 6727 11706 12966
⍝→ 7889 9145 6727 11706 12966
⍝→ 7889 9145 6727 11706 12966
