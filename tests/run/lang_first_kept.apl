⍝ The first of what is kept: the first place, or what is there; the fill element where nothing is; of rows; beside other uses
⍝ of what is kept.
n←⎕ArgInt 'n' 1000
v←1009|7919×⍳n
(⊃⍸v=7) (⊃(v>1000)/v) (⊃⍸v=5000) (⊃⍸(0⍴v)=1)
⍝→ 699 1005 0 0
⊃(v=625)/v÷2
⍝→ 312.5
(⊃(v>5000)/n⍴'abc'),'|',⊃(v>1000)/n⍴'abc'
⍝→  |c
⊃(⊃(v>2000)/v>3) (⊃(v<2000)/v>3)
⍝→ 0
b←2=3|⍳n ⋄ k←b/v
(⊃k) (≢k) (+/k)
⍝→ 703 333 168226
⊃1/v
⍝→ 856
m←5 7⍴3|⍳35
({⊃⍸⍵=2}⍤1⊢m),{⊃(⍵>1)/⍵×10}⍤1⊢m
⍝→ 2 1 3 2 1 20 20 20 20 20
{⊃⍸⍵=3}⍤1⊢m
⍝→ 0 0 0 0 0
f←{⊃⍸⍵<v}
f¨0 500 1008 2000
⍝→ 1 1 0 0
