⍝ ⌸ and ∪ of more keys than are compared each with each: what they give is what counting says, of few keys and many,
⍝ integers, reals, characters, complex numbers, rows, and of numbers that are nan.
n ← ⎕ArgInt 'n' 3000
v ← 1000003|7919×⍳n
check ← {k ← ⍵ ⋄ u ← ((k⍳k)=⍳≢k)/k ⋄ c ← {≢⍵}⌸k ⋄ f ← {⊃⍵}⌸k ⋄ s ← k{+/⍵}⌸v
  (∧/u=∪k),(∧/c=+/u∘.=k),(∧/f=k⍳u),(∧/s=+/(u∘.=k)×((≢u),n)⍴v),(≢u)}
check 7|v
⍝→ 1 1 1 1 7
first ← 500 0 5 ⋄ by ← ¯1 1 1 ⋄ modulo ← 1000 1000003 1
step ← {⎕ ← check first[⍵]+by[⍵]×modulo[⍵]|v ⋄ ⍵+1}
z ← (step⍣3)1
⍝→ 1 1 1 1 1000
⍝→ 1 1 1 1 3000
⍝→ 1 1 1 1 1
check (11|v)÷4
⍝→ 1 1 1 1 11
check 0=3|v
⍝→ 1 1 1 1 2
check 'a mixed bag of letters'[1+22|v]
⍝→ 1 1 1 1 15
check (3|v)+0J1×2|v
⍝→ 1 1 1 1 6
rows ← ⍉2 n⍴(3|v),5|v
⎕ ← (≢{≢⍵}⌸rows),(+/{≢⍵}⌸rows),⊃{≢⍵}⌸rows
⍝→ 15 3000 200
c ← {≢⍵}⌸1,((0×v)÷0),1
⎕ ← (≢c),(⊃c),+/c
⍝→ 3001 2 3002
⎕ ← ≢∪1,((0×v)÷0),1
⍝→ 3001
⍝ the same of few, of complex numbers, in rows and in groups
nan ← 0÷0
z ← ⎕ArgInt 'z' 0
⎕ ← (≢∪nan,1,nan),(≢∪(z+3)⍴nan,1,nan),(≢∪((z+3)⍴nan,1,nan)+0J1),≢∪((z+900)⍴nan,1,nan)+0J1
⍝→ 3 3 3 601
⎕ ← (({≢∪⍵}⍤1)2 6⍴nan,1,nan),1 1{≢∪⍵}⌸2⍴nan
⍝→ 5 5 2
