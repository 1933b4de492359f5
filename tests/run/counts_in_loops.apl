⍝ Counts that begin as doubles: kept in loops, with and without iterations, in a function of each.
⍝ args: --n=5
n ← ⎕ArgInt 'n' 5
step ← { (x c) ← ⍵ ⋄ ((x×1.5) (c+x<10)) }
last ← (step⍣n) 1.0 0.0
⎕ ← last[2]
none ← (step⍣(n-5)) 1.0 2.0
⎕ ← none[2]
half ← (step⍣n) 1.0 0.25
⎕ ← half[2]
count ← { s ← (step⍣n) ⍵ 0.0 ⋄ s[2] }
⎕ ← count¨0.5 1 2 4 8 16
⎕ ← 2÷⍨count 3.0
⍝→ 5
⍝→ 2
⍝→ 5.25
⍝→ 5 5 4 3 1 0
⍝→ 1.5
