⍝ Dynamic programs: a loop's vectors are written in place behind what has read them, through catenations, takes, windows and
⍝ from their ends, and before what reads them. (Worked out in Python.)
⍝ also: opencl TAILOR_KERNELS=gpu
n ← ⎕ArgInt 'n' 12
x ← 17|5×⍳n

⍝ The longest increasing subsequence that ends at each place.
rise ← {(L k)←⍵ ⋄ L[k]←1+⌈/0,L[⍳k-1]×x[⍳k-1]<x[k] ⋄ L (k+1)}
(L k) ← (rise⍣n)(n⍴0) 1
⎕ ← L
⍝→ 1 2 3 1 2 3 1 2 3 4 2 3

⍝ The cheapest way to each place, by steps of any width.
way ← {(C k)←⍵ ⋄ C[k]←x[k]+⌊/(10×k),C[⍳k-1]+(k-⍳k-1)*2 ⋄ C (k+1)}
(C k) ← (way⍣n)(n⍴0) 1
⎕ ← C
⍝→ 15 26 34 27 36 44 37 44 52 62 57 67

⍝ Numbers of binary trees: the vector meets itself, turned round.
trees ← {(T k)←⍵ ⋄ T[k+1]←+/(k↑T)×⌽k↑T ⋄ T (k+1)}
(T k) ← (trees⍣n)((n+1)↑1) 1
⎕ ← T
⍝→ 1 1 2 5 14 42 132 429 1430 4862 16796 58786 208012

⍝ Sums and last sums of those before, with one more at each end.
ends ← {(S k)←⍵ ⋄ S[k]←1009|+/1,(2×S[⍳k-1]),k ⋄ S (k+1)}
(S k) ← (ends⍣n)(n⍴0) 1
⎕ ← S
⍝→ 2 7 22 67 202 607 813 422 258 775 308 925

⍝ A window of three, of which the last is the next.
window ← {(W k)←⍵ ⋄ W[k+3]←101|+/¯1⌽3×W[k+0 1 2] ⋄ W (k+1)}
(W k) ← (window⍣n)((n+3)↑1 2 3) 1
⎕ ← W
⍝→ 1 2 3 18 69 68 61 89 48 89 72 21 41 99 79

⍝ Written before what reads it, and after, and read by both what is written before and after.
both ← {
  (A B k)←⍵
  A[k]←k
  twice←0,2×A[⍳k]
  B[k]←⌈/twice
  A[1]←101|+/⌽twice
  A[1⌈k-1]←A[1⌈k-1]+⌈/1,A[⍳k]-B[⍳k]
  A B (k+1)
}
(A B k) ← (both⍣n)(n⍴0) (n⍴1) 1
⎕ ← A
⍝→ 72 46 98 98 95 80 69 70 71 101 81 12
⎕ ← B
⍝→ 2 6 36 92 196 196 196 196 196 196 196 202

⍝ Rows of a matrix: paths of least cost from the row above.
m ← 6 7⍴13|7×⍳42
down ← {(D i)←⍵ ⋄ D[i;]←m[i;]+(99,¯1↓D[i-1;])⌊D[i-1;]⌊(1↓D[i-1;]),99 ⋄ D (i+1)}
(D i) ← (down⍣5) m 2
⎕ ← ,D
⍝→ 7 1 8 2 9 3 10 5 12 6 14 8 3 10 6 13 8 15 6 13 7 17 11 20 12 6 13 8 19 13 20 9 16 10 19 18 25 15 9 16 11 18
