⍝ Rows that are chosen: by what each sums up to, among what is mapped, turned, taken from elsewhere, or left as it is; and what
⍝ becomes of them.
m←(⎕ArgInt 'n' 5)(⎕ArgInt 'k' 4)⍴7 2 9 4 1 8 3
w←⌽⍳≢⍉m
m
⍝→ 7 2 9 4
⍝→ 1 8 3 7
⍝→ 2 9 4 1
⍝→ 8 3 7 2
⍝→ 9 4 1 8
+/{x←(20<+/⍵){⍺:⍵+1 ⋄ ⍵×2}⍵ ⋄ +/x×x}⍤1⊢m
⍝→ 1812
{(20<+/⍵){⍺:⌽⍵ ⋄ ⍵}⍵}⍤1⊢m
⍝→ 4 9 2 7
⍝→ 1 8 3 7
⍝→ 2 9 4 1
⍝→ 8 3 7 2
⍝→ 8 1 4 9
{(20<+/⍵){⍺:w ⋄ ⍵}⍵}⍤1⊢m
⍝→ 4 3 2 1
⍝→ 1 8 3 7
⍝→ 2 9 4 1
⍝→ 8 3 7 2
⍝→ 4 3 2 1
{x←(20<+/⍵){⍺:1⌽⍵ ⋄ ⍵×w}⍵ ⋄ (⌈/x),x}⍤1⊢m
⍝→  9  2  9  4 7
⍝→ 24  4 24  6 7
⍝→ 27  8 27  8 1
⍝→ 32 32  9 14 2
⍝→  9  4  1  8 9
⍝ in a loop in each row
{{(20<+/⍵){⍺:⍵-5 ⋄ ⍵×2}⍵}⍣3⊢⍵}⍤1⊢m
⍝→  8 ¯12  16 ¯4
⍝→ ¯6  22   2 18
⍝→ ¯2  26   6 ¯6
⍝→ 22   2  18 ¯2
⍝→ 16  ¯4 ¯16 12
