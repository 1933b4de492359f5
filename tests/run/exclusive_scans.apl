⍝ also: opencl TAILOR_SCAN=phases
⍝ also: opencl TAILOR_SCAN=look-back
⍝ Running sums, and greatest numbers, of what comes before each: with what they are of, as results and in sums; of all but the
⍝ last; with another first one; of bools, products and reals; in a loop; beside the sums with each; of two of them.
n←⎕ArgInt 'n' 9
v←5|7×⍳n
v
⍝→ 2 4 1 3 0 2 4 1 3
v-0,¯1↓+\v
⍝→ 2 2 ¯5 ¯4 ¯10 ¯8 ¯8 ¯15 ¯14
+/v×0,+\¯1↓v
⍝→ 170
+/v>0,¯1↓⌈\v
⍝→ 2
v×0,⌈\¯1↓v
⍝→ 0 8 4 12 0 8 16 4 12
v×3,¯1↓+\v
⍝→ 6 8 6 21 0 20 48 16 51
+/(2|v)∧0,¯1↓≠\2|v
⍝→ 2
v+1,¯1↓×\1+v
⍝→ 3 7 16 33 120 122 364 1801 3603
+/(v÷2)×0,¯1↓+\v÷2
⍝→ 42.5
{97|⍵+v×0,¯1↓+\⍵}⍣3⊢v
⍝→ 2 28 43 22 0 81 27 19 34
+/(+\v)×0,¯1↓+\v
⍝→ 1148
+/(0,¯1↓+\v)×0,¯1↓⌈\v
⍝→ 316
