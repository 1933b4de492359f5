⍝ Remainders and quotients of sums that have multiples of the divisor in them, also of negative numbers.
n ← ⎕ArgInt 'n' 5
i ← (⍳n)-3
⎕ ← 7|3+14×i                    ⍝ always 3
⍝→ 3 3 3 3 3
⎕ ← 7|¯3+i×7                    ⍝ always 4
⍝→ 4 4 4 4 4
⎕ ← 7|10+(14×i)+2|i             ⍝ 3 and a bit of i
⍝→ 3 4 3 4 3
⎕ ← 10|(20×i)+3×i               ⍝ of 3×i
⍝→ 4 7 0 3 6
⎕ ← ⌊(¯1+10×i)÷10               ⍝ i-1
⍝→ ¯3 ¯2 ¯1 0 1
⎕ ← ⌊(25+(10×i)+3|i)÷10         ⍝ i+2
⍝→ 0 1 2 3 4
⎕ ← 100|5+(100×i)+10×10|i×i     ⍝ days of a date
⍝→ 45 15 5 15 45
