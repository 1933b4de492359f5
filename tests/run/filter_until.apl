⍝ What a filter keeps, until it keeps all: the largest go again and again, readings far from the mean, and numbers that are
⍝ even and small; of a list that begins empty, too. (Python says the same.)
n←⎕ArgInt 'n' 1000
v←1000003|7919×⍳n
peel←{(⍵<0.9×⌈/⍵)/⍵}
far←{m←(+/⍵)÷≢⍵ ⋄ ((|⍵-m)≤2×(+/|⍵-m)÷≢⍵)/⍵}
⎕←(≢peel⍣≡v)(+/far⍣≡v÷7)(≢far⍣≡v)
⍝→ 0 61969752 936
odd←{(~(0=2|⍵)∧⍵<0.5×⌈/⍵)/⍵}
w←odd⍣≡v
⎕←(≢w),+/w
⍝→ 747 432041552
⎕←≢odd⍣≡0↑v
⍝→ 0
halve←{b←0=3|+\⍵ ⋄ (b∨⍵>500000)/⍵}
u←halve⍣≡v
⎕←(≢u),+/u
⍝→ 495 369133280
