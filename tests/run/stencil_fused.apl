⍝ Windows are computed where they are read: of computed arrays, in steps, of even sizes, over and over; in the
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ order that - wants. Expected results are numpy's, of the same windows.
n←⎕ArgInt 'n' 4
m←11|7×n 5⍴⍳5×n
k←3 3⍴1 2 1 2 4 2 1 2 1
({+/,⍵×k}⌺3 3)1+2×m
⍝→ 123 144 158 150  81
⍝→ 152 176 180 206 140
⍝→ 112 174 178 204 166
⍝→  75 146 138 130 121
({(⌈/,⍵)-⌊/,⍵}⌺2 2)m
⍝→ 6 9 9 6
⍝→ 9 6 9 6
⍝→ 9 6 9 9
({+/,⍵}⌺(2 2⍴5 5 2 1))m×m
⍝→ 323 523 579 449 366
⍝→ 433 634 754 620 456
({+/,⍵}⌺(2 2⍴5 5 2 2))m×m
⍝→ 323 579 366
⍝→ 433 754 456
v←7|5×⍳2×n
({⍵[1]-⍵[3]}⌺3)1+v
⍝→ ¯4 4 ¯3 ¯3 4 4 ¯3 1
({-/⍵}⌺3)1+v
⍝→ ¯2 4 9 0 5 3 8 ¯5
({100|({+/,⍵×k}⌺3 3)⍵}⍣(n-1))m
⍝→ 65 49 64 91 15
⍝→ 84 51 31 65 55
⍝→ 96 49 89 90 25
⍝→ 20 76  1 19 45
({+/,⍵}⌺3 3)11|7×(n-3)4⍴⍳4
⍝→ 10 20 19 16
⍝ A window over the whole array and more, of arrays of one row, and of none.
⍴({+/,⍵}⌺3 3)(n-4)5⍴1
⍝→ 0 5
({+/⍵}⌺9)1+0×⍳n-1
⍝→ 3 3 3
⍝ Rows picked from computed matrices, and windows of them.
(m+1)[3 1 3;]
⍝→ 1 8  4 11 7
⍝→ 8 4 11  7 3
⍝→ 1 8  4 11 7
