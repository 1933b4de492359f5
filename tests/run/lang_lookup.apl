⍝ ⍳ and ∊ of many items: by sorting and bisection; the same as by comparing all with all.
n←⎕ArgInt 'n' 1000
k←1000|(⍳n)×7919
q←⌽⍳1200
∧/(k⍳q)=1++/∧\q∘.≠k
⍝→ 1
∧/(q∊k)=q<n
⍝→ 1
∪5|k
⍝→ 4 3 2 1 0
≢∪k
⍝→ 1000
(0.5×k)⍳0.5 500
⍝→ 679 1001
(⎕UCS 97+26|k)⍳'tailor'
⍝→ 19 4 10 9 8 7
⍴(0⍴k)⍳n⍴1
⍝→ 1000
∪(n-1000)⍴k
⍝→
⍋2(0÷n-1000)1 ¯1
⍝→ 4 3 1 2
v←n⍴3.5(0÷n-1000)¯2
(3↑v⍳v),+/v∊v
⍝→ 1 1001 3 667
