⍝ Rows that are written in place, in nests that are distributed: what was read of them before stays what it was, and the
⍝ arrays that they come from, too.
n ← ⎕ArgInt 'n' 20
a ← (n n n)⍴5|⍳n×n
x ← {r←⍵[⍋⍵] ⋄ h←r[2] ⋄ r[2]←1000 ⋄ h+r}⍤1⊢a
⎕ ← +/,x
⍝→ 416000
b ← (n n)⍴5|⍳n×n
y ← ({r←+\⍵ ⋄ h←r[2] ⋄ r[2]←1000 ⋄ h+r}⍣2)⍤1⊢b
⎕ ← +/,y
⍝→ 855320
⍝ No row goes round the loop: what it gives is a copy all the same.
c ← (n n n)⍴5|⍳n×n×n
c[;;1] ← 0
f ← {k←⍵[1] ⋄ (k{(+\⍣⍺)⍵}⍵)}
z ← (f⍤1) c
z[1;1;2] ← 9999
⎕ ← +/,z
⍝→ 25597
⎕ ← +/,c
⍝→ 15600
⍝ Where a row is written depends on its length.
n ← ⎕ArgInt 'k' 7
d ← (3,n)⍴3 1 4 1 5 9 2 6
g ← {2<4|⊃⍵: {r←⍵ ⋄ h←r[1+(≢r)|1] ⋄ r[1+(≢r)|1]←⌊/7|⍵ ⋄ h+r}⍵ ⋄ (⌈/⍵)+⍵}
⎕ ← ({{⌊⍵÷2}⍣{10>⌈/⍺} g +\⍵}⍤1) d
⍝→ 1 1 3 3 4 6 7
⍝→ 4 4 4 5 5 6 7
⍝→ 3 3 4 4 4 4 5
