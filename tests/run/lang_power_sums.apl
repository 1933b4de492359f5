⍝ ⍣ whose states only accumulate: reductions, of several states at once. Others stay loops.
n ← ⎕ArgInt 'n' 1000
v ← 7|3×⍳n
(s i) ← ({(s i)←⍵ ⋄ (s+v[i]×v[i])(i+1)}⍣n)0 1
s i
⍝→ 13013 1001
s=+/v×v
⍝→ 1
⍝ sum, alternative of two, greatest, how many, whether any; down from n in steps of one
(p q r c a k) ← ({(p q r c a k)←⍵ ⋄ (p+k)(q-2×k)(r⌈v[k])(c+v[k]=3)(a∨v[k]>5)(k-1)}⍣n)0 10 ¯1 0 0 n
p q r c a k
⍝→ 500500 ¯1000990 6 143 1 0
c=+/v=3
⍝→ 1
⍝ a product, from an initial value; no iteration leaves the states
({(x i)←⍵ ⋄ (x×1+÷i)(i+1)}⍣n)2 1
⍝→ 2002 1001
({(x i)←⍵ ⋄ (x×1+÷i)(i+1)}⍣(n-1000))2 1
⍝→ 2 1
⍝ read otherwise, or by the other state: loops
({(x i)←⍵ ⋄ (x+(5|x)+i)(i+1)}⍣5)0 1
⍝→ 22 6
({(f g)←⍵ ⋄ g(f+g)}⍣(n-980))0 1
⍝→ 6765 10946
⍝ an inner loop and a branch in the elements
({(x i)←⍵ ⋄ (x+{2|⍵:1 ⋄ ({⌊⍵÷2}⍣3)⍵}i)(i+1)}⍣n)0 1
⍝→ 31625 1001
⍝ branches that leave an accumulator as it is
({(s i)←⍵ ⋄ ({v[i]>3:s+v[i] ⋄ s}0)(i+1)}⍣n)0 1
⍝→ 2145 1001
({(s t i)←⍵ ⋄ v[i]>3:(s+1)t(i+1) ⋄ s(t-v[i])(i+1)}⍣n)0 100 1
⍝→ 429 ¯758 1001
({(m i)←⍵ ⋄ ({2|i:m ⋄ m⌈v[i]×i}0)(i+1)}⍣n)0 1
⍝→ 5976 1001
⍝ a branch that reads it stays a loop
({(s i)←⍵ ⋄ ({s>100:s-i ⋄ s+i}0)(i+1)}⍣n)0 1
⍝→ 598 1001
({(b i)←⍵ ⋄ ({b:b∨v[i]=3 ⋄ b}0)(i+1)}⍣n)0 1
⍝→ 0 1001
