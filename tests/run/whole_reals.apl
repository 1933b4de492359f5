⍝ Floors and ceilings that are used as reals are what the 64-bit integers are that they become, which saturate: ∞ less its
⍝ floor is ∞, of NaN the floor is 0, and the floor of -0 is 0 and not -0.
z ← ⎕ArgInt 'z' 0
x ← z+0.5 ¯0.5 2 ¯2 2.75 ¯2.75 4503599627370495.5 ¯4503599627370495.5 9007199254740993
⎕ ← (x-⌊x)=0.5 0.5 0 0 0.75 0.25 0.5 0.5 0
⍝→ 1 1 1 1 1 1 1 1 1
⎕ ← (x-⌈x)=¯0.5 ¯0.5 0 0 ¯0.25 ¯0.75 ¯0.5 ¯0.5 0
⍝→ 1 1 1 1 1 1 1 1 1
⎕ ← (0.5×⌊x)=0 ¯0.5 1 ¯1 1 ¯1.5 2251799813685247.5 ¯2251799813685248 4503599627370496
⍝→ 1 1 1 1 1 1 1 1 1
⎕ ← (⌊x+0.5)=1 0 2 ¯2 3 ¯3 4503599627370496 ¯4503599627370495 9007199254740992
⍝→ 1 1 1 1 1 1 1 1 1
⍝ From 2*63 on all integers are 2*63 less 1, which is 2*63 as a real, and below ¯2*63 they are that
big ← z+1 ¯1×9223372036854774784.0
⎕ ← (big-⌊big),big-⌈big
⍝→ 0 0 0 0
huge ← z+9223372036854775808.0 ¯9223372036854775808.0 1E300 ¯1E300
⎕ ← (0.5×⌊huge)=4611686018427387904.0 ¯4611686018427387904.0 4611686018427387904.0 ¯4611686018427387904.0
⍝→ 1 1 1 1
⎕ ← (0.5×⌈huge)=0.5×⌊huge
⍝→ 1 1 1 1
⎕ ← (huge-⌊huge)=0 0 1E300 ¯1E300
⍝→ 1 1 1 1
inf ← z+1 ¯1÷0
⎕ ← (inf-⌊inf),inf-⌈inf
⍝→ ∞ ¯∞ ∞ ¯∞
⎕ ← (0.5×⌊inf)=4611686018427387904.0 ¯4611686018427387904.0
⍝→ 1 1
nan ← z+0÷0×⍳2
⎕ ← 0.5+⌊nan×⊃inf-inf
⍝→ 0.5 0.5
⍝ ÷0 is ∞, ÷ -0 would be ¯∞
none ← z×¯1.5 ¯0.5
⎕ ← (÷0.5×⌊none),(÷0.5×⌈none),(÷0.5×⌈¯0.25+z),÷0.5×⌊0.75+z
⍝→ ∞ ∞ ∞ ∞ ∞ ∞
⍝ Of many, with sums of them as integers beside
r ← (z+¯500+⍳1001)÷4
⎕ ← (+/r-⌊r),(+/⌈r-0.5),(+/⌊r),⌈/r-⌈r          ⍝ worked out in Python
⍝→ 375.25 125 ¯125 0
