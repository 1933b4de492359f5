⍝ User operators with function and array operands, commute, compose.
twice←{⍺⍺ ⍺⍺ ⍵}
⎕←{⍵+1}twice 5
⍝→ 7
over←{(⍵⍵ ⍺)⍺⍺(⍵⍵ ⍵)}
⎕←3 +over{⍵×⍵} 4
⍝→ 25
add←{⍺⍺+⍵}
⎕←6 add 9
⍝→ 15
⎕←-⍨3
⍝→ 0
⎕←2-⍨5
⍝→ 3
⎕←(2∘×)4
⍝→ 8
⎕←(÷∘2)7
⍝→ 3.5
⎕←-∘÷4
⍝→ ¯0.25
⎕←+⍨3
⍝→ 6
sum←+/
⎕←sum⍳4
⍝→ 10
