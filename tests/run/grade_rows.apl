⍝ Orders of rows of many columns, which the first columns decide or not, beside sorts by every column from the last on:
⍝ rows that differ in the last column alone, that are the same, reals with nan, characters, boxes, and matrices in a function of rows.
⍝ also: opencl TAILOR_KERNELS=gpu
up ← {rows ← ⍵ ⋄ ⊃({(o k) ← ⍵ ⋄ (o[⍋rows[o;k]])(k-1)}⍣(⊃⌽⍴rows))(⍳≢rows)(⊃⌽⍴rows)}
down ← {rows ← ⍵ ⋄ ⊃({(o k) ← ⍵ ⋄ (o[⍒rows[o;k]])(k-1)}⍣(⊃⌽⍴rows))(⍳≢rows)(⊃⌽⍴rows)}
n ← 40+⎕ArgInt 'n' 0
⎕ ← ⍋5 6⍴0 0 0 0 0 2 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1
⍝→ 2 5 1 4 3
late ← (n 11)⍴3                     ⍝ the last column decides
late[;11] ← 5|7×⍳n
⎕ ← ((⍋late)≡up late) ((⍒late)≡down late)
⍝→ 1 1
mixed ← (n 12)⍴3|7×1+17|⍳12×n
⎕ ← ((⍋mixed)≡up mixed) ((⍒mixed)≡down mixed)
⍝→ 1 1
same ← (n 9)⍴4 1 7
⎕ ← ((⍋same)≡⍳n) ((⍒same)≡⍳n)
⍝→ 1 1
nan ← 0÷0+0×n
odd ← (n 6)⍴1.5 0 ¯2 nan 3 nan 1
⎕ ← ((⍋odd)≡up odd) ((⍒odd)≡down odd)
⍝→ 1 1
text ← (n 7)⍴'abacabadabacaba'
⎕ ← ((⍋text)≡up text) ((⍒text)≡down text)
⍝→ 1 1
⎕ ← (⍋(n 2 3)⍴mixed)≡up(n 6)⍴mixed
⍝→ 1
⎕ ← (⍋⍤2⊢(4 10 6)⍴mixed)≡up⍤2⊢(4 10 6)⍴mixed
⍝→ 1
⎕ ← (⍋(0 8)⍴0)(⍋(n 0)⍴0)≡⍬(⍳n)
⍝→ 1
⎕ ← (≢{≢⍵}⌸mixed) (≢{≢⍵}⌸late) (≢{≢⍵}⌸same)
⍝→ 14 5 1
