⍝ also: opencl TAILOR_KERNELS=cpu
⍝ A few reductions of many rows are one, and what makes the rows goes into it; what is made of the numbers is state of loops.
n←⎕ArgInt 'n' 3000
x←(n,3)⍴17|⍳3×n
w←1+5|⍳n
⍝ sums, maxima and counts of columns, with a vector and alone
⎕←+⌿x
⍝→ 23994 23985 23993
⎕←⌈⌿x×w∘.×1 2 3
⍝→ 80 160 240
⎕←w+.×x
⍝→ 71931 71904 71928
⎕←(⍉x)+.×x
⍝→ 263916 239766 218880
⍝→ 239766 263751 239864
⍝→ 218880 239864 263857
⎕←+⌿(w∘.=⍳5)
⍝→ 600 600 600 600 600
⍝ steps of a loop whose state is as many numbers
g←{⍵+0.5×((w×⌈/⍵)+.×x)÷n×1000}
⎕←⌊0.5+1E6×(g⍣10)3⍴1.0
⍝→ 1126564 1126516 1126558
⍝ each row's nearest of two points, and the points' new places
p←1.0×x[;1 2]
step←{d←((+/p×p)∘.+0 0)-(2×p+.×⍉⍵)-(n⍴0)∘.++/⍵×⍵ ⋄ k←{⍵⍳⌊/⍵}⍤1⊢d ⋄ m←k∘.=1 2 ⋄ ((⍉m)+.×p)÷(1⌈+⌿m)∘.×1 1}
⎕←⌊0.5+1E6×(step⍣6)p[1 6;]
⍝→  3501062  4501062
⍝→ 12001890 11105860
