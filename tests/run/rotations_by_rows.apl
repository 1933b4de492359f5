⍝ Rotations by an amount for each row, or column: maps of rotations by numbers. A loop of them comes out of its map for
⍝ OpenCL.
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 3
m ← (n,n+1)⍴⍳n×n+1
s ← (n-4),(n-3),n+3
⎕ ← s⌽m
⍝→  4  1 2  3
⍝→  5  6 7  8
⍝→ 11 12 9 10
⎕ ← (1,¯1,(n-3),n)⊖m
⍝→ 5 10  3  4
⍝→ 9  2  7  8
⍝→ 1  6 11 12
⍝ Amounts of any size.
most ← n+9223372036854775804
⎕ ← (most,(-most+1),-most)⌽(n,n+2)⍴⍳n×n+2
⍝→  3  4  5  1  2
⍝→  8  9 10  6  7
⍝→ 14 15 11 12 13
⍝ More axes: an amount for each plane, and along an axis in between.
f ← ((n-1),(n-1),n)⍴⍳12
⎕ ← ,((⍳n-1)∘.+(n-1)⍴0)⌽f
⍝→ 2 3 1 5 6 4 9 7 8 12 10 11
⎕ ← ,((⍳n-1)∘.+n⍴0)⊖[2]f
⍝→ 4 5 6 1 2 3 7 8 9 10 11 12
⎕ ← ,((n-1)n⍴0 1 1)⊖f
⍝→ 1 8 9 4 11 12 7 2 3 10 5 6
⍝ Letters, truths, reals and complex numbers.
⎕ ← s⌽n 3⍴'abcdef'
⍝→ cab
⍝→ def
⍝→ abc
⎕ ← s⌽5<m
⍝→ 0 0 0 0
⍝→ 0 1 1 1
⍝→ 1 1 1 1
⎕ ← s⌽0.5+m
⍝→  4.5  1.5 2.5  3.5
⍝→  5.5  6.5 7.5  8.5
⍝→ 11.5 12.5 9.5 10.5
⎕ ← 9○s⌽m∘.{⍺+0J1×⍵}1
⍝→  4  1 2  3
⍝→  5  6 7  8
⍝→ 11 12 9 10
⍝ Axes of 0 or 1.
⎕ ← (⍴((n-3)⍴0)⌽(n-3)n⍴0),⍴(n⍴0)⌽n(n-3)⍴0
⍝→ 0 3 3 0
⎕ ← ,s⌽(n,n-2)⍴⍳n
⍝→ 1 2 3
⎕ ← ,((n-2)⍴n+1)⌽((n-2),n)⍴⍳n
⍝→ 2 3 1
⎕ ← ⍴((n-3)n⍴0)⌽((n-3),n,n)⍴0
⍝→ 0 3 3
⍝ One behind the other, with arithmetic between.
⎕ ← 1+s⌽2×(1,¯1,(n-3),n)⊖m-1
⍝→  7  9 19  5
⍝→ 17  3 13 15
⍝→ 21 23  1 11
⍝ Again and again; the second writes into what it has made.
⎕ ← ((4×s)⌽m)≡{s⌽⍵}⍣(n+1)⊢m
⍝→ 1
⎕ ← {t ← (⍳n-1)⌽⍵ ⋄ t[1;1] ← 0 ⋄ t}⍣(n-1)⊢(n-1)n⍴⍳6
⍝→ 0 1 0
⍝→ 5 6 4
⎕ ← ,{(((⍳n-1)∘.+n⍴0)⊖[2]⍵)+((⍳n-1)∘.+(n-1)⍴0)⌽⍵}⍣(n-1)⊢f
⍝→ 14 15 13 14 15 13 33 31 32 45 43 44
⍝ Long rows.
k ← 100×n
r ← {(⍳k)⌽⍵}⍣n⊢k k⍴⍳k×k
⎕ ← r[1 2,k;1 2,k]
⍝→     4     5     3
⍝→   307   308   306
⍝→ 89701 89702 90000
