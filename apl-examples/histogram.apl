⍝ A histogram as text: the sum of three dice, thrown many times.
⍝ test: --throws=3000 --width=40
⍝ gives: 1
⍝ gives: 16

throws ← ⎕ArgInt 'throws' 100000
width  ← ⎕ArgInt 'width' 60

dice   ← 3+¯1+(?throws⍴6)+(¯1+?throws⍴6)+¯1+?throws⍴6
sums   ← 2+⍳16
counts ← +/sums∘.=dice
⎕ ← throws=+/counts

bars ← ⌊0.5+width×counts÷⌈/counts
picture ← ' ∎'[1+bars∘.≥⍳width]
⎕ ← ≢picture
