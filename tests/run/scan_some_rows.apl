⍝ also: opencl TAILOR_SCAN=phases
⍝ also: opencl TAILOR_SCAN=look-back
⍝ Some of the running sums and greatest numbers, or these and one more, in sums, as results, in loops: all but the first, but
⍝ the last, from the k-th, up to it; beside those before them, beside other rows, with numbers of rows; of one row and of none.
n←⎕ArgInt 'n' 9
k←⎕ArgInt 'k' 3
v←5|7×⍳n
v
⍝→ 2 4 1 3 0 2 4 1 3
⌊/1↓+\v
⍝→ 6
⌈/¯1↓+\v
⍝→ 17
+/(1↓⌈\v)≠¯1↓⌈\v
⍝→ 1
+/|(1↓+\v)-¯1↓+\v
⍝→ 18
(1↓w)-2×¯1↓w←⌊\v
⍝→ ¯2 ¯3 ¯1 ¯2 0 0 0 0
(1↓w)×¯1↓w←+\v÷2
⍝→ 3 10.5 17.5 25 30 48 68 85
⌊/(3↓w)-¯3↓w←+\v
⍝→ 4
+/k↓⌈\v
⍝→ 24
+/k↑⌈\v
⍝→ 10
+/2↓(1-k)↓+\v
⍝→ 55
⌈/0,¯1↓+\-v
⍝→ 0
⌈/0,+\v-2
⍝→ 2
⌊/(+\v-2),¯7
⍝→ ¯7
2×5,⌈\v
⍝→ 10 4 8 8 8 8 8 8 8 8
⌈/(v,0)×0,+\v
⍝→ 51
+/(0,⌈\v)×⍳n+1
⍝→ 212
(⌈/(1↓w)-¯1↓v),+/(1↓w←⌈\v)×1↓v
⍝→ 4 72
+/(1↓⌈\v)×0.5+¯1↓+\v
⍝→ 336
+/(1↓⌈\v)×⍳n-1
⍝→ 144
+/(1↓⌈\v)×1↓⌽+\v
⍝→ 320
u←101|7919×v
+/(1↓u)×¯1↓⌈\u
⍝→ 27388
+/(1↓u)×(1↓⌈\u)-¯1↓⌈\u
⍝→ 0
{97|(0,1↓w)+1⌽w←+\⍵}⍣3⊢v
⍝→ 74 46 78 8 49 27 37 33 89
{97|w-¯1⌽0,1↓w←3,+\⍵}⍣2⊢v
⍝→ 0 80 2 4 1 3 0 2 4 1 3
{5|(1↓w)-2×¯1↓w←3,+\⍵}⍣3⊢v
⍝→ 4 1 1 0 0 1 1 1 0
{(0,5|+\⍵)}⍣3⊢v
⍝→ 0 0 0 2 0 0 0 0 2 0 0 0
e←0⍴v
(⌈/0,+\e),(+/1↓+\e),(+/0,¯1↓+\e),(+/(1↓w)-¯1↓w←⌈\e),⍴(1↓w)-¯1↓w←⌈\e
⍝→ 0 0 0 0 0
e←1↑v
(⌈/0,+\e),(+/1↓+\e),(+/0,¯1↓+\e),(+/(1↓w)-¯1↓w←⌈\e),⍴(1↓w)-¯1↓w←⌈\e
⍝→ 2 0 0 0 0
(+/1↓2↓+\e),(+/e×1↓0,+\e)
⍝→ 0 4
