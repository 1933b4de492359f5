⍝ Each statement of a dfn that is in error is reported, and nothing that only follows from it.
n←≢⎕ReadIntVecFile 'numbers.txt'
f←{
  a←⍵+1 2+1 2 3
  b←a×2
  (c d)←b
  ⎕←c+'x'
  e←⍵[1;2]
  e+←unknown
  e>0: 'x'+1                             ⍝ whether this holds is not known: the body ends
  ⍵÷'y'
}
z←f n
z+1
guards←{
  ⍵>1: ⍵+1 2+1 2 3
  ⍵>2: missing
  0: missing_too
  x←⍵÷'a'
  ⍵>3: x+1
  1: x+'b'
  'never'+1
}
guards n
known←{0=≢⍴⍵: ⍵+'a' ⋄ ⍵[1;2]} ⋄ known n
default←{⍺←⍵+'a' ⋄ b←⍺×2 ⋄ c←1 2+1 2 3 ⋄ b+c} ⋄ default n
modified←{a←⍵ ⋄ a+←1 2+1 2 3 ⋄ b←a[1] ⋄ b×'a'} ⋄ modified n
loop←{x←⍺+1 2+1 2 3 ⋄ ⍵≤1: ⍺ ⋄ y←⍵÷'y' ⋄ (⍺×⍵)∇ ⍵-1} ⋄ 1 loop n
+/{y←⍵÷'y' ⋄ ⍵+'c'}¨⍳n
syntax←{a←⍵+) ⋄ b←'b'+1 ⋄ a+b} ⋄ syntax n

⍝ Arguments too: p, q and r are all wrong.
p←{⍵+1 2 3} ⋄ q←{⍵+'c'} ⋄ r←{⍵[1;2]}
s←(p 1 2),(q n),r 1 2
(p s)(q 2)⍪'a'+1

⍝ Once each, however often it is met.
k0←{⍵+1 2+1 2 3}
k1←{a←k0 ⍵ ⋄ b←k0 ⍵+1 ⋄ (k0 a)+k0 b} ⋄ k2←{a←k1 ⍵ ⋄ b←k1 ⍵+1 ⋄ (k1 a)+k1 b}
k3←{a←k2 ⍵ ⋄ b←k2 ⍵+1 ⋄ (k2 a)+k2 b} ⋄ k4←{a←k3 ⍵ ⋄ b←k3 ⍵+1 ⋄ (k3 a)+k3 b}
k5←{a←k4 ⍵ ⋄ b←k4 ⍵+1 ⋄ (k4 a)+k4 b} ⋄ k6←{a←k5 ⍵ ⋄ b←k5 ⍵+1 ⋄ (k5 a)+k5 b}
k7←{a←k6 ⍵ ⋄ b←k6 ⍵+1 ⋄ (k6 a)+k6 b} ⋄ k8←{a←k7 ⍵ ⋄ b←k7 ⍵+1 ⋄ (k7 a)+k7 b}
k8 n

⍝ Size and depth end the statement at once.
deep←{a←⍺⍺{⍺⍺ ⍵+1}deep ⍵ ⋄ b←'b'+1 ⋄ a} ⋄ +deep n
self←{a←self ⍵ ⋄ b←'b'+1 ⋄ a+b} ⋄ self n
