⍝ Orders of rows of many columns, which the first columns decide or not: rows that differ in the last column alone, that are
⍝ the same, reals with nan, characters, arrays of three axes, and matrices in a function of rows. An order has all
⍝ rows, none greater than the next one, by the first column that differs, and equal ones as they were.
sorts ← {
  order ← ⍺ ⋄ s ← ×⍵[1↓order;]-⍵[¯1↓order;] ⋄ w ← +/s×(⍴s)⍴3*-⍳⊃⌽⍴⍵
  m ← (≢⍵)⍴0 ⋄ m[order] ← 1
  (∧/m)∧∧/(w>0)∨(w=0)∧0<(1↓order)-¯1↓order
}
up ← {rows ← ⍵ ⋄ ⊃({(o k) ← ⍵ ⋄ (o[⍋rows[o;k]])(k-1)}⍣(⊃⌽⍴rows))(⍳≢rows)(⊃⌽⍴rows)}
n ← 40+⎕ArgInt 'n' 0
⎕ ← ⍋5 6⍴0 0 0 0 0 2 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1
⍝→ 2 5 1 4 3
late ← (n 11)⍴3                     ⍝ the last column decides
late[;11] ← 5|7×⍳n
⎕ ← ((⍋late)sorts late) ((⍒late)sorts-late)
⍝→ 1 1
mixed ← (n 12)⍴3|7×1+17|⍳12×n
⎕ ← ((⍋mixed)sorts mixed) ((⍒mixed)sorts-mixed)
⍝→ 1 1
same ← (n 9)⍴4 1 7
⎕ ← ((⍋same)≡⍳n) ((⍒same)≡⍳n)
⍝→ 1 1
odd ← (n 6)⍴1.5 0 ¯2,(0÷0+0×n),3,(0÷0+0×n),1
⎕ ← (⍋odd)≡up odd
⍝→ 1
text ← (n 7)⍴'abacabadabacaba'
⎕ ← (⍋text)sorts 'abcd'⍳text
⍝→ 1
three ← (n 2 3)⍴mixed
⎕ ← (⍋three)sorts(n 6)⍴three
⍝→ 1
⎕ ← (⍋⍤2⊢(4 10 6)⍴mixed)[2;]≡⍋10 6⍴60↓,mixed
⍝→ 1
⎕ ← (⍋(0 8)⍴0)(⍋(n 0)⍴0)≡⍬(⍳n)
⍝→ 1
⎕ ← (≢{≢⍵}⌸mixed) (≢{≢⍵}⌸late) (≢{≢⍵}⌸same)
⍝→ 14 5 1
