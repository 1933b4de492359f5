⍝ Remainders of reals by powers of two and by numbers that run time tells, of either sign, zero, and of what is large: in maps,
⍝ sums, loops, and where they go back to where they came from.
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 8
m ← ⎕ArgDouble 'm' 1.5
z ← ⎕ArgDouble 'z' 0
x ← ¯2+0.75×⍳n
⎕ ← x
⍝→ ¯1.25 ¯0.5 0.25 1 1.75 2.5 3.25 4
⎕ ← 1|x
⍝→ 0.75 0.5 0.25 0 0.75 0.5 0.25 0
⎕ ← 2|x
⍝→ 0.75 1.5 0.25 1 1.75 0.5 1.25 0
⎕ ← 0.5|x
⍝→ 0.25 0 0.25 0 0.25 0 0.25 0
⎕ ← m|x
⍝→ 0.25 1 0.25 1 0.25 1 0.25 1
⎕ ← (-m)|x
⍝→ ¯1.25 ¯0.5 ¯1.25 ¯0.5 ¯1.25 ¯0.5 ¯1.25 ¯0.5
⎕ ← z|x
⍝→ ¯1.25 ¯0.5 0.25 1 1.75 2.5 3.25 4
⎕ ← x|m
⍝→ ¯1 0 0 0.5 1.5 1.5 1.5 1.5
⍝ 2*100 is 1 more than a multiple of 1.5
big ← ¯1*⍳n
big ← big×2*100
⎕ ← m|big
⍝→ 0.5 1 0.5 1 0.5 1 0.5 1
⎕ ← 1|big
⍝→ 0 0 0 0 0 0 0 0
⎕ ← (+/1|x),(+/2|x),(+/0.5|x),(+/m|x),(+/(-m)|x),(+/z|x),+/m|big
⍝→ 3 7 1 5 ¯7 11 6
⎕ ← (⌈/m|x),⌊/1|x
⍝→ 1 0
⍝ Each step goes on by the same, around a box of 1.5, or of 1.
⎕ ← {m|⍵+x}⍣3⊢x
⍝→ 1 1 1 1 1 1 1 1
⎕ ← {1|⍵+x}⍣3⊢x
⍝→ 0 0 0 0 0 0 0 0
⎕ ← +/m|0.25×⍳1000×n
⍝→ 4999.5
