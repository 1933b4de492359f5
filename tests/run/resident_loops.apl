⍝ Loops whose steps are a kernel each, on devices whose groups can wait for each other: all steps are one kernel then (with
⍝ one group here). Few steps and many, odd and even, none; a state of two arrays; the number of the step; the beginning,
⍝ which is used again afterwards; a loop in a loop; a vector as long as some groups and one row more.
⍝ also: opencl TAILOR_RESIDENT=1
n←⎕ArgInt 'n' 2049
k←⎕ArgInt 'k' 7
v←⍳n
mix←{(1⌽⍵)+3|v}
⎕←{+/(mix⍣⍵) v}¨0 1 2 3 4,k,k+1
⎕←(+/v),+/{⌊0.5×⍵+¯1⌽⍵}⍣k⊢v
m←7 11⍴⍳77
⎕←+/,{1009|(1⊖⍵)+2×1⌽⍵}⍣(k+2)⊢m
outer←{({7|⍵+2⌽⍵}⍣5) 1009|3×⍵}
⎕←+/(outer⍣4) v
b←v∊5 6 7
⎕←+/{(1⌽⍵)∨⍵∧¯1⌽⍵}⍣6⊢b
⎕←{⍵÷3}⍣5⊢243 486
⍝→ 2100225 2102274 2104323 2106372 2108421 2114568 2116617
⍝→ 2100225 2093057
⍝→ 39171
⍝→ 6151
⍝→ 9
⍝→ 1 2
