⍝ Several numbers of each group by one list of groups: few groups, which work-groups count in local memory, and many; whole
⍝ numbers and reals. (Python says the same.)
⍝ also: opencl TAILOR_LANES=32
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 500
bins ← ⎕ArgInt 'bins' 12
i ← ⍳n
k ← 1+11|7×i×i
x ← ¯8+17|i×i
several ← {
  k ← ⍵ ⋄ sums ← ⍺⍴0 ⋄ counts ← ⍺⍴0 ⋄ least ← ⍺⍴1000 ⋄ most ← ⍺⍴¯1000
  sums[k] +← x ⋄ counts[k] +← 1 ⋄ least[k] ⌊← x ⋄ most[k] ⌈← x
  4 ⍺⍴sums,counts,least,most
}
⎕ ← bins several k
⍝→  6     0 ¯2     0     0     0 ¯6 10 ¯27     0 18     0
⍝→ 45     0 91     0     0     0 91 91  91     0 91     0
⍝→ ¯8  1000 ¯8  1000  1000  1000 ¯8 ¯8  ¯8  1000 ¯8  1000
⍝→  8 ¯1000  8 ¯1000 ¯1000 ¯1000  8  8   8 ¯1000  8 ¯1000
m ← (250×bins)several 1+(250×bins)|7919×i×i
c ← ⍳250×bins
⎕ ← (+/m[1;]×7|c),(+/m[2;]×5|c),(⌈/m[2;]),+/m[3;]×3|c
⍝→ ¯13 500 13 2873893
h ← bins⍴0.0 ⋄ counts ← bins⍴0
h[k] +← 0.5×x ⋄ counts[k] +← 1
⎕ ← h
⍝→ 3 0 ¯1 0 0 0 ¯3 5 ¯13.5 0 9 0
⎕ ← h÷1⌈counts
⍝→ 0.06666666667 0 ¯0.01098901099 0 0 0 ¯0.03296703297 0.05494505495 ¯0.1483516484 0 0.0989010989 0
⍝ three or four lists of as many bins are more local memory than a work-group has
m ← (90×bins)several 1+(90×bins)|7919×i×i
c ← ⍳90×bins
⎕ ← (+/m[1;]×7|c),(+/m[2;]×5|c),(⌈/m[3;]),+/m[4;]×3|c
⍝→ 27 500 1000 ¯1061863
