⍝ All elements of matrices whose rows are made as a whole: taken row by row.
⍝ also: opencl TAILOR_LANES=32
⍝ also: opencl TAILOR_KERNELS=cpu
r←⎕ArgInt 'r' 3
c←⎕ArgInt 'c' 4
m←r c⍴(⍳r×c)-5
⎕←m
⍝→ ¯4 ¯3 ¯2 ¯1
⍝→  0  1  2  3
⍝→  4  5  6  7
s←+\m
⎕←s
⍝→ ¯4 ¯7 ¯9 ¯10
⍝→  0  1  3   6
⍝→  4  9 15  22
⎕←(⌈/,+\m),(⌊/,+\m),(+/,+\m),≢,+\m
⍝→ 22 ¯10 30 12
⍝ of what is mapped from them, from m and from a vector
⎕←(+/|,+\m),(+/,m×+\m),+/(⍳r×c)×,+\m
⍝→ 90 395 545
⍝ maps, whose results are used more than once
v←2×,+\m
⎕←v
⍝→ ¯8 ¯14 ¯18 ¯20 0 2 6 12 8 18 30 44
⎕←(+/v),⌈/v
⍝→ 60 44
⍝ what a row does once
⎕←+/,{⍵-⌊(+/⍵)÷≢⍵}⍤1⊢m
⍝→ 6
⍝ sorted rows: the last of all; operators that do not commute
⎕←{⍵}/,{⍵[⍒⍵]}⍤1⊢m
⍝→ 4
⎕←({⍺}/,+\m),-/,+\m
⍝→ ¯4 ¯12
⍝ three axes
k←(2,r,c)⍴m
⎕←(+/,+\k),⌈/,2×+\k
⍝→ 60 44
⍝ no rows, and empty ones
⎕←(⌈/,+\(0,c)⍴m),(+/,+\(r,0)⍴m)
⍝→ ¯1.797693135E308 0
⍝ rows that one work-item, several of a group and groups go through
big←{+/,+\⍵⍴1}
⎕←(big 700 10),(big 30 300),(big 40 600),(big 3 5000)
⍝→ 38500 1354500 7212000 37507500
⎕←(⌈/,⌈\-300 100⍴⍳r×10000)(⌊/,+\300 100⍴¯1+2×2|⍳r×10000)
⍝→ ¯1 0
