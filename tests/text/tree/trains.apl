⍝ run: emit --to=tree
⍝ Functions without an argument are a train: three and three from the right.
v←1 2 3
(+/÷≢)v
(-⌽)v
1(-,+)2
(2×⊢)v
(2×⊢+⊣)v
(⌊-+×)v
mean←+/÷≢
mean v
double←2∘×
half←÷∘2
h←half mean
s←+
g←(-)
(mean⌊half)v
((⊢-mean)÷≢)v
