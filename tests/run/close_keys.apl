⍝ Sets, searches and counts of whole numbers that are close to each other go by a table, of others by sorting or hashing: the
⍝ same of numbers that are a little or far apart, at the ends of what there is, and of none. (Python says the same.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 40
far ← ⎕ArgInt 'far' 1000000
v ← ¯3+11|7×(⍳n)×⍳n
⎕ ← {⍺,≢⍵}⌸v
⍝→  4 7
⍝→  3 7
⍝→  5 7
⍝→ ¯1 8
⍝→  7 8
⍝→ ¯3 3
⎕ ← {⍺,≢⍵}⌸far×v
⍝→  4000000 7
⍝→  3000000 7
⍝→  5000000 7
⍝→ ¯1000000 8
⍝→  7000000 8
⍝→ ¯3000000 3
⎕ ← ∪v
⍝→ 4 3 5 ¯1 7 ¯3
⎕ ← (∪far×v)÷far
⍝→ 4 3 5 ¯1 7 ¯3
⎕ ← 25↑v⍳v
⍝→ 1 2 3 4 5 5 4 3 2 1 11 1 2 3 4 5 5 4 3 2 1 11 1 2 3
⎕ ← 25↑(far×v)⍳far×v
⍝→ 1 2 3 4 5 5 4 3 2 1 11 1 2 3 4 5 5 4 3 2 1 11 1 2 3
w ← ¯5+⍳20
⎕ ← (20↑v)⍳w
⍝→ 21 11 21 4 21 21 21 2 1 3 21 5 21 21 21 21 21 21 21 21
⎕ ← (far×20↑v)⍳far×w
⍝→ 21 11 21 4 21 21 21 2 1 3 21 5 21 21 21 21 21 21 21 21
⎕ ← w∊20↑v
⍝→ 0 1 0 1 0 0 0 1 1 1 0 1 0 0 0 0 0 0 0 0
⎕ ← (far×w)∊far×20↑v
⍝→ 0 1 0 1 0 0 0 1 1 1 0 1 0 0 0 0 0 0 0 0
⍝ matrices of what is looked for
⎕ ← (4 5⍴w)∊20↑v
⍝→ 0 1 0 1 0
⍝→ 0 0 1 1 1
⍝→ 0 1 0 0 0
⍝→ 0 0 0 0 0
⎕ ← (20↑v)⍳4 5⍴w
⍝→ 21 11 21  4 21
⍝→ 21 21  2  1  3
⍝→ 21  5 21 21 21
⍝→ 21 21 21 21 21
⍝ as many places as there may be, and one more
k ← n↑(⍳n-2),n,n
⎕ ← +/{≢⍵}⌸k
⍝→ 40
⎕ ← ≢∪k
⍝→ 39
⎕ ← ≢∪k+k=n
⍝→ 39
⎕ ← +/k⍳k+k=n
⍝→ 823
⍝ the least and the greatest number there is: the span wraps
least ← ¯1+-9223372036854775807
ends ← n↑least,0,9223372036854775807,n⍴5
⎕ ← {≢⍵}⌸ends
⍝→ 1 1 1 37
⎕ ← ∪ends
⍝→ ¯9223372036854775808 0 9223372036854775807 5
⎕ ← 6↑ends⍳ends
⍝→ 1 2 3 4 4 4
⎕ ← +/(n↑v)∊ends
⍝→ 7
⎕ ← +/ends∊v
⍝→ 37
⎕ ← 4↑v⍳ends
⍝→ 41 41 41 3
near ← n⍴least+⍳3
⎕ ← (1⊥¨(⊂near)=¨least+⍳3),{≢⍵}⌸near
⍝→ 14 13 13 14 13 13
⍝ nothing, and one
none ← (n=0)/v
⎕ ← ≢∪none
⍝→ 0
⎕ ← +/v∊none
⍝→ 0
⎕ ← +/none⍳v
⍝→ 40
⎕ ← ≢{≢⍵}⌸none
⍝→ 0
⎕ ← ⍴{⍺,≢⍵}⌸none
⍝→ 0 2
one ← (n=40)/,n
⎕ ← {⍺,≢⍵}⌸one
⍝→ 40 1
⎕ ← (∪one),(one⍳one),one∊v
⍝→ 40 1 0
⍝ characters, which are close
text ← n⍴'tally the letters of this text'
⎕ ← {≢⍵}⌸text
⍝→ 9 2 5 2 7 3 5 1 2 1 1 1 1
⎕ ← ∪text
⍝→ taly hersofix
⍝ functions of groups that are counted, but not by that alone; of keys that are not numbers; values beside keys
⎕ ← {c ← ≢⍵ ⋄ ⍺,c,100×c÷n}⌸v
⍝→  4 7 17.5
⍝→  3 7 17.5
⍝→  5 7 17.5
⍝→ ¯1 8 20
⍝→  7 8 20
⍝→ ¯3 3  7.5
⎕ ← v{⍺,(≢⍵),+/⍵}⌸⍳n
⍝→  4 7 133
⍝→  3 7 134
⍝→  5 7 135
⍝→ ¯1 8 176
⍝→  7 8 176
⍝→ ¯3 3  66
⎕ ← v{0=2|≢⍵: ⍺ ⋄ -≢⍵}⌸⍳n
⍝→ ¯7 ¯7 ¯7 ¯1 7 ¯3
⎕ ← v{≢⍵}⌸(n 2)⍴⍳n
⍝→ 7 7 7 8 8 3
⎕ ← {≢⍵}⌸0.5×v
⍝→ 7 7 7 8 8 3
⎕ ← {≢⍵}⌸(n 1)⍴v
⍝→ 7 7 7 8 8 3
⎕ ← {≢⍵}⌸2|v
⍝→ 7 33
⍝ in rows of their own
⎕ ← {≢∪⍵}⍤1⊢4 10⍴v
⍝→ 5 6 6 6
⎕ ← {+/⍵∊3 5}⍤1⊢4 10⍴v
⍝→ 4 4 3 3
⍝ apart by more than there are items: a table for searches, where nothing is found between, and none for what is counted
mid ← ⎕ArgInt 'mid' 20
⎕ ← (∪mid×v)÷mid
⍝→ 4 3 5 ¯1 7 ¯3
⎕ ← 25↑(mid×v)⍳mid×v
⍝→ 1 2 3 4 5 5 4 3 2 1 11 1 2 3 4 5 5 4 3 2 1 11 1 2 3
⎕ ← ((mid×v)⍳mid×w)≡v⍳w
⍝→ 1
⎕ ← +/(mid×v)∊1+mid×w
⍝→ 0
⎕ ← ((mid×v)∊mid×w)≡v∊w
⍝→ 1
⎕ ← {⍺,≢⍵}⌸mid×v
⍝→  80 7
⍝→  60 7
⍝→ 100 7
⍝→ ¯20 8
⍝→ 140 8
⍝→ ¯60 3
