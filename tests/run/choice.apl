⍝ Choices written as sums of products with opposite bits are what the sums are, with nan, infinities and zeros of either
⍝ sign: 0×∞ is no number, a comparison with nan is false both ways, and ¯0+0 is 0.
e←⎕ArgInt 'e' 400
big←10.0*e
v←¯2 0 3,big,(-big),big-big
f←{t←÷1+⍵×⍵ ⋄ ((⍵<0)×t)+(⍵≥0)×1+t}
⎕←f v
⎕←÷f ¯1↓v
⍝ one of the two is a negative zero
g←{t←-÷1+⍵×⍵ ⋄ ((⍵<0)×t)+(⍵≥0)×2+t}
⎕←÷g ¯1↓v
⍝ what is not bounded, bits that are not opposite, and numbers of different roots stay sums
h←{((⍵<0)×⍵)+(⍵≥0)×1+÷1+⍵×⍵}
⎕←h v
k←{t←÷1+⍵×⍵ ⋄ ((⍵<0)×t)+(⍵>0)×1+t}
⎕←k v
m←{t←*-|⍺ ⋄ ((⍵<0)×t)+(⍵≥0)×1+÷1+⍵×⍵}
⎕←(⌽v)m v
⍝→ 0.2 2 1.1 1 0 NaN
⍝→ 5 0.5 0.9090909091 1 ∞
⍝→ ¯5 1 0.5263157895 0.5 ∞
⍝→ ¯2 2 1.1 NaN ¯∞ NaN
⍝→ 0.2 0 1.1 1 0 NaN
⍝→ NaN 2 1.1 1 1 NaN
