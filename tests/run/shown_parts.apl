⍝ Parts of arrays that are printed or formatted where they lie, and rows that a filter keeps from the last on. (A model in
⍝ Python agrees.)
n ← ⎕ArgInt 'n' 20
v ← 3×⍳n
⎕ ← 2↓v
⍝→ 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60
⎕ ← ¯1↓3↓v
⍝→ 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57
m ← (n,3)⍴v
⎕ ← m[n;]
⍝→ 54 57 60
⎕ ← 18 0↓m
⍝→ 45 48 51
⍝→ 54 57 60
⎕ ← ⍕15↓v
⍝→ 48 51 54 57 60
⎕ ← +/v,,m
⍝→ 2520
w ← (2|v)/v
⎕ ← (3⌊≢w)↓w
⍝→ 21 27 33 39 45 51 57
⎕ ← +/w
⍝→ 300
⎕ ← ⌽(2|v)/v
⍝→ 57 51 45 39 33 27 21 15 9 3
⎕ ← ,⊖(2|m[;1])⌿m
⍝→ 45 48 51 27 30 33 9 12 15 51 54 57 33 36 39 15 18 21 57 60 3 39 42 45 21 24 27 3 6 9
⎕ ← {⌽(0≠5|⍵)/⍵}⍣3⊢v
⍝→ 57 54 51 48 42 39 36 33 27 24 21 18 12 9 6 3
⍝ The rows of a scan stay in its order, and what can fail is asked in the order of the rows.
⎕ ← ⌽(0=2|+\v)/+\v
⍝→ 630 570 408 360 234 198 108 84 30 18
