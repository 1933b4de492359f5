⍝ Eliminations whose blocks have in them what they read, and columns that all rows read. (A model in Python agrees.)
n ← ⎕ArgInt 'n' 9
weigh ← {⌊0.5+1000×+/(,⍵)×⍳×/⍴⍵}
m ← (n,n)⍴(11|(⍳n×n)×7919)÷8
m ← m+n×(⍳n)∘.=⍳n
gauss ← {(a k)←⍵ ⋄ r←k↓⍳n ⋄ f←a[r;k]÷a[k;k] ⋄ a[r;]-←f∘.×a[k;] ⋄ a (k+1)}
(a k) ← (gauss⍣(n-1)) m 1
⎕ ← weigh a
⍝→ 3904339
⎕ ← ⌊0.5+1000×1 1⍉a
⍝→ 10250 8986 9060 9145 9179 9273 9310 9596 9810
s ← 0.5×m+⍉m
cholesky ← {
    (L k) ← ⍵
    d ← L[k;k]*0.5 ⋄ L[k;k] ← d
    r ← k↓⍳n
    L[r;k] ← L[r;k]÷d
    c ← L[r;k]
    L[r;r] -← c∘.×c
    L (k+1)
}
(l k) ← (cholesky⍣n) s 1
l ← l×(⍳n)∘.≥⍳n
⎕ ← 1E¯9>⌈/,|s-l+.×⍉l
⍝→ 1
⎕ ← weigh l
⍝→ 1485311
⍝ All of it is the block: rows and columns of it are needed for every element.
jordan ← {(a k)←⍵ ⋄ a[⍳n;⍳n]-←(a[;k]×k≠⍳n)∘.×a[k;]÷a[k;k] ⋄ a (k+1)}
(a k) ← (jordan⍣n) m 1
⎕ ← 1E¯9>⌈/,|a×(⍳n)∘.≠⍳n
⍝→ 1
w ← m
w[⍳n;] ← w[;2]∘.+w[2;]
⎕ ← weigh w
⍝→ 8510625
w[⍳n;] +← w[;1]∘.×w[;3]
⎕ ← weigh w
⍝→ 18119172
