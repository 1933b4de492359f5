⍝ The order of many ints at the ends of their range, of booleans and of characters.
⍝ also: opencl TAILOR_LANES=32
n←⎕ArgInt 'n' 600
i←n⍴¯9223372036854775807 9223372036854775807 0 ¯1
(⍋i)≡(⍸i=¯9223372036854775807),(⍸i=¯1),(⍸i=0),⍸i=9223372036854775807
⍝→ 1
(⍒i)≡(⍸i=9223372036854775807),(⍸i=0),(⍸i=¯1),⍸i=¯9223372036854775807
⍝→ 1
b←n⍴1 0 0
(⍒b)≡(⍸b),⍸~b
⍝→ 1
c←n⍴'∊zaZ'
c[⍋c]≡(n÷4)/'Zaz∊'
⍝→ 1
