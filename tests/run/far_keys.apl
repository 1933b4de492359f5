⍝ Whole numbers that are far apart are looked up by hashing in sequential C, by sorting elsewhere: keys that are there more than
⍝ once, some hundred of which many have neighbouring slots, one key many times, the least and the greatest number, and none.
⍝ (Python says the same.)
⍝ backends: interp c                 OpenCL sorts these as any others
n ← ⎕ArgInt 'n' 300
k ← 1000003×(⍳n)×⍳n
x ← 1000003×⍳2×n
found ← k⍳x
⎕ ← +/found≤n
⍝→ 24
⎕ ← (found≤n)/found
⍝→ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
⎕ ← ∨/found>n+1
⍝→ 0
⎕ ← +/x∊k
⍝→ 24
⍝ the first place counts
again ← (⌽k),k,k
⎕ ← ∧/(again⍳k)=⌽⍳n
⍝→ 1
⎕ ← ∧/(again⍳again)=(⍳n),(⌽⍳n),⌽⍳n
⍝→ 1
⎕ ← ∧/(∪again)=⌽k
⍝→ 1
⎕ ← ∧/({+/⍵}⌸again)=3
⍝→ 0
⎕ ← ∧/({≢⍵}⌸again)=3
⍝→ 1
⍝ multiples of powers of two, rows and columns in one number, and both ends
powers ← 4294967296×⍳n
⎕ ← ∧/(powers⍳powers+0)=⍳n
⍝→ 1
⎕ ← +/(powers+1)∊powers
⍝→ 0
pairs ← ,(4294967296×⍳20)∘.+⍳20
⎕ ← ∧/(pairs⍳⌽pairs)=⌽⍳400
⍝→ 1
least ← ¯1-9223372036854775807
ends ← (n⍴least),9223372036854775807,0,least+⍳n
⎕ ← (least,9223372036854775807,0,¯1,least+1)∊ends
⍝→ 1 1 1 0 1
⎕ ← +/(ends⍳n⍴least,9223372036854775807,0,least+1)=n⍴1 301 302 303
⍝→ 300
⎕ ← +/(ends⍳ends)=1
⍝→ 300
⍝ one key, and none
same ← n⍴9000000000000000000
⎕ ← +/same⍳same
⍝→ 300
⎕ ← +/same⍳k
⍝→ 90300
none ← (n=0)/k
⎕ ← (≢none⍳none),(≢∪none),(+/none⍳k),+/k∊none
⍝→ 0 0 300 0
⍝ matrices of what is looked for
⎕ ← (2 3⍴k)∊k,k
⍝→ 1 1 1
⍝→ 1 1 1
⎕ ← (k,x)⍳2 5⍴1000003×16 2 25 300 7 0 ¯1 90000 90001 1
⍝→   4 302   5 600 307
⍝→ 901 901 300 901   1
