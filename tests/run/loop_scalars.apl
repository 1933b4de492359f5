⍝ Scalar state of loops that kernels make and use: it stays on the device (tests/text/flatten/loop-scalars.core).
n←⎕ArgInt 'n' 1000
times←⎕ArgInt 'times' 10
none←⎕ArgInt 'none' 0
v←÷⍳n
⍝ A mean that moves: s+(+/v×s)÷n, from 1.
⎕←⌊0.5+1E9×({⍵+(+/v×⍵)÷n}⍣times)1.0
⍝→ 1077427158
⍝ numpy: v=1/np.arange(1,1001); s=1.0; ten times s+=(v*s).sum()/1000; round(1e9*s).
⎕←({⍵+(+/v×⍵)÷n}⍣none)2.5
⍝→ 2.5
⍝ Two numbers that change places, and an integer that the host counts.
pair←{(a b k)←⍵ ⋄ (b (1000|a+⌈/(⍳n)×1000>b×⍳n) (k+2))}
⎕←(pair⍣times)1 2 3
⍝→ 189 27 23
⍝ Python: a,b,k=1,2,3; ten times a,b,k=b,(a+max(i if 1000>b*i else 0 for i in range(1,1001)))12219848631000,k+2.
⍝ A truth: whether more than half of the numbers were moved.
flip←{(x f)←⍵ ⋄ y←(n|x+f+3) ⋄ (y ((n÷2)<+/y>x×f))}
⎕←+/⊃(flip⍣times)(⍳n) 0
⍝→ 499500
⍝ A loop in a loop: numbers of the inner one are the outer one's.
⎕←⌊0.5+1E9×({1+({(⌈/v-⍵)÷2}⍣3)⍵}⍣4)0.25
⍝→ 1221984863
⍝ Conjugate gradients: a system with 3 on the diagonal and ¯1 beside it.
A←{(3×⍵)-(1⌽⍵)+¯1⌽⍵}
step←{
  (x r p rs)←⍵
  ap←A p
  a←rs÷+/p×ap
  r2←r-a×ap
  rs2←+/r2×r2
  ((x+a×p) r2 (r2+p×rs2÷rs) rs2)
}
s←(step⍣20)((n⍴0.0) v v (+/v×v))
x←⊃s
⎕←⌊0.5+1E6×+/x
⎕←1E¯6>⌈/|v-A x
⍝→ 7485471
⍝→ 1
