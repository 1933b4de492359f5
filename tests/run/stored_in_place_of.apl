⍝ also: opencl TAILOR_KERNELS=gpu
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ What is read again is stored in place of dear arrays that are there for it alone, and computed again where these are cheap or others
⍝ read them, too.
n←⎕ArgInt 'n' 4
a←(n,n)⍴⍳n×n
⍝ in each row powers of ¯2 2 2 ¯2, and so in each column
p←2*(1⌽a)-¯1⌽a ⋄ q←2*((1⊖a)-¯1⊖a)÷n
⍝ 4 times 0.5, 8 times 4.25, 4 times 8
t←p+q
s←(+/,t)÷n×n
⎕←s
⍝→ 4.25
⎕←(+/,t>s),+/,t<s
⍝→ 4 4
⍝ each row goes up by 3.75 and down again: 4 times 7.5
⎕←+/,|(1⌽t)-t
⍝→ 30
⍝ flags of a byte: x is more than 1 in the two columns in the middle
x←3*(1⌽a)-¯1⌽a
m←x>1
⎕←(1⌽m)∧m
⍝→ 0 1 0 0
⍝→ 0 1 0 0
⍝→ 0 1 0 0
⍝→ 0 1 0 0
⍝ others read p and q, too: p is more than q at four of the eight places in the middle of t's values
p←2*(¯1⌽a)-1⌽a ⋄ q←2*((¯1⊖a)-1⊖a)÷n
t←p+q
s←(+/,t)÷n×n
⎕←(+/,t≥s),+/,(t≥s)∧p>q
⍝→ 12 4
⍝ windows of three by three with zeros around them, and of columns: g is 4, 6 and 9 at corners, edges and inside
g←{+/,⍵}⌺3 3⊢(n,n)⍴1 ⋄ h←{+/,(3 3⍴1 2 3)×⍵}⌺3 3⊢(n,n)⍴1
u←(g*2)+h*2
⎕←+/,u>(+/,u)÷n×n
⍝→ 6
⍝ in the steps of a loop: powers of signs
step←{y←2*×(1⌽⍵)-⍵ ⋄ z←2*×(1⊖⍵)-⍵ ⋄ w←y+z ⋄ ⍵+(1⌽w)+(¯1⌽w)-2×w}
⎕←(step⍣3)3 4⍴0 1 1 0 1
⍝→ ¯15    14    ¯6     9  
⍝→  17   ¯17.5  16   ¯12.5
⍝→ ¯10.5  14.5 ¯17.5  15.5
