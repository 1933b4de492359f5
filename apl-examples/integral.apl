⍝ Numerical integration: the midpoint rule for 2÷x+2 from 0 to 10. The exact value is 2×⍟6.
⍝ test: --n=2000
⍝ gives: 3.583518432

n ← ⎕ArgInt 'n' 10000000      ⍝ number of intervals

f        ← {2÷⍵+2}
midpoint ← {¯0.5+⍳⍵}           ⍝ 0.5 1.5 2.5 ...

width ← 10÷n
⎕ ← width × +/ f width × midpoint n
