⍝ ⍕ with two arguments: widths and decimals.
n ← ⎕ArgInt 'n' 3
x ← 3 2⍴10.1 15 1001 22.357 101 1110.1
⎕ ← '|',(8 2⍕○1),'|'
⍝→ |    3.14|
⎕ ← 8 0⍕42
⍝→       42
⎕ ← 5 0⍕2 3⍴⍳6
⍝→     1    2    3
⍝→     4    5    6
⍝ a pair for each column; what does not fit is stars
⎕ ← 3 0 6 2⍕x
⍝→  10 15.00
⍝→ *** 22.36
⍝→ 101******
⍝ decimals alone, or width 0: one blank, then as wide as needed
⎕ ← '|',2⍕x
⍝→ |   10.10   15.00
⍝→ | 1001.00   22.36
⍝→ |  101.00 1110.10
⎕ ← ⍴0 1 0 2⍕x
⍝→ 3 15
⎕ ← ⍴1⍕2 3 4⍴÷n
⍝→ 2 3 16
⍝ halves are rounded away from zero
⎕ ← 4 1⍕2 2⍴1.5 2.25 ¯3 4
⍝→  1.5 2.3
⍝→ ¯3.0 4.0
⎕ ← 4 0⍕0.5 1.5 2.5 ¯0.5 0.25
⍝→    1   2   3  ¯1   0
⍝ scaled: digits of the mantissa
⎕ ← 9 ¯3⍕5 15 155 1555 0 ¯0.00012
⍝→    5.00E0   1.50E1   1.55E2   1.56E3   0.00E0 ¯1.20E¯4
⎕ ← ¯1⍕n×100
⍝→  3E2
⍝ digits that a real does not have; ints have all
⎕ ← 0 20⍕÷3
⍝→  0.3333333333333333____
⎕ ← 26⍕2*100
⍝→  1267650600228229_______________.__________________________
⎕ ← 3⍕9007199254740993
⍝→  9007199254740993.000
⎕ ← 4 1⍕÷0
⍝→    ∞
⍝ empty arrays
⎕ ← ⍴5 1⍕⍳n-n
⍝→ 0
⎕ ← ⍴5 1⍕0 3⍴n
⍝→ 0 15
⎕ ← ⍴5 1⍕3 0⍴n
⍝→ 3 0
⍝ fields that run time knows
⎕ ← (n×2 1)⍕○1 10
⍝→  3.14231.416
⎕ ← (n↑6 2)⍕1 1 1⍴○1
⍝✗ lang_format_fields.apl:55:12: LENGTH ERROR: 3 and 2
⍝✗   ⎕ ← (n↑6 2)⍕1 1 1⍴○1
