⍝ Sorting: the median and the quartiles of random numbers, and how many of them lie in between.
⍝ test: --n=101
⍝ gives: 1
⍝ gives: 50 25 75

n ← ⎕ArgInt 'n' 1000001

v ← ?n⍴1000000
s ← v[⍋v]
⎕ ← ∧/(1↓s)≥¯1↓s

⍝ s[⌈n×q] has about n×q items below it; of 0 to n-1 in any order the place tells the number.
numbers ← (⌽⍳n)-1
sorted ← numbers[⍋numbers]
⎕ ← sorted[⌈n×0.5 0.25 0.75]
