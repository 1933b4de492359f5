⍝ steps that make a matrix and say how much it has changed
⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_WORK_ITEMS=100000
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 70
m←⎕ArgInt 'm' 90
smooth←{((1⊖⍵)+(¯1⊖⍵)+(1⌽⍵)+¯1⌽⍵)×0.25}
step←{(g e)←⍵ ⋄ y←(*0)×smooth g ⋄ y(⌈/,|y-g)}
x←n m⍴(⍳n×m)×0.5
(r e)←(step⍣5)x 0
⍝ sums stay, and rows say the same of the change
⎕←(0.001>|(+/,x)-+/,r),e=⌈/⌈/|r-(smooth⍣4)x
⍝→ 1 1
⍝ two matrices, of which the sums are taken, and a row of one
f←{s←1○⍵ ⋄ t←(2○⍵)+s×0 ⋄ (+/,s×s)+(+/,t×t)+0×+/s[2;]+t[1;]}
⎕←(0.000001>|(n×m)-f x),0.000001>|35-f 5 7⍴⍳35
⍝→ 1 1
⍝ until the change is small, with a matrix of 3 rows
c←3 64⍴0 1
(k y)←({(k g)←⍵ ⋄ (k+1)(((1⌽g)+(¯1⌽g)+2×g)×0.25)}⍣{0.001>⌈/,|(2⊃⍺)-2⊃⍵})0 c
⎕←k,⌊0.5+1000×y[3;5]
⍝→ 2 500
⍝ a matrix of no rows, and of one element
g←{y←(1⊖⍵)+1⌽⍵ ⋄ (+/,y-⍵)+0×⍴⍴y}
⎕←(g 0 5⍴0),(g 1 1⍴3)
⍝→ 0 3
