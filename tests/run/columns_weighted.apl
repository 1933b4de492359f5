⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_LANES=32
⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_LANES=32 TAILOR_WORK_ITEMS=100000
⍝ also: opencl TAILOR_WORK_ITEMS=100000
⍝ Reductions of columns whose rows are weighted by a vector, few and many, short and long.
n ← ⎕ArgInt 'n' 1000
d ← ⎕ArgInt 'd' 5
of ← {+\1⌊⍳⍵}
make ← {⍺ ⍵⍴10|of ⍺×⍵}
x ← n make d
v ← of n
⎕ ← v+.×x
⍝→ 1753000 2253500 2754000 3254500 1250000
⎕ ← (⍉x)+.×v
⍝→ 1753000 2253500 2754000 3254500 1250000
⎕ ← +⌿x×[1]v
⍝→ 1753000 2253500 2754000 3254500 1250000
⎕ ← (v÷2)+.×x
⍝→ 876500 1126750 1377000 1627250 625000
⎕ ← v⌈.×x
⍝→ 6000 7000 8000 9000 4995
⍝ In their order.
⎕ ← -⌿x×[1]v
⍝→ ¯1253000 ¯1253500 ¯1254000 ¯1254500 1250000
⍝ Of more rows than a work-item has pieces.
⎕ ← (of 20×n)+.×(20×n)make d
⍝→ 700060000 900070000 1100080000 1300090000 500000000
⎕ ← v+.×n make d-4
⍝→ 2256000
⎕ ← v+.×n make d-3
⍝→ 2506500 2002000
⎕ ← ⍴v+.×n make d-5
⍝→ 0
⍝ As many segments as keep a device busy, and more: row i of 10 × k columns has i times 1 to 9 and 0.
sums ← v+.×n make 80×d
⎕ ← (10↑sums),∧/sums=400⍴10↑sums
⍝→ 500500 1001000 1501500 2002000 2502500 3003000 3503500 4004000 4504500 0 1
small ← {w ← of ⍵ ⋄ y ← ⍵ make d ⋄ (w+.×y),(⍉y)+.×w}
⎕ ← small n-1000
⍝→ 0 0 0 0 0 0 0 0 0 0
⎕ ← small n-999
⍝→ 1 2 3 4 5 1 2 3 4 5
⎕ ← small n-998
⍝→ 13 16 19 22 5 13 16 19 22 5
