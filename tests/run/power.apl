⍝ The power operator repeats a function; the count may be known at run time only, or 0.
⎕←({⍵×2}⍣10)1
⍝→ 1024
n←⎕ArgInt 'n' 5
⎕←({⍵+3}⍣n)0
⍝→ 15
⎕←({⍵+3}⍣(n-5))7
⍝→ 7
⎕←(1∘⌽⍣2)⍳5
⍝→ 3 4 5 1 2
⎕←({⍵,≢⍵}⍣3)⍳0
⍝→ 0 1 2
⎕←({⍵÷2}⍣3)12
⍝→ 1.5
⎕←({0.5×⍵+2÷⍵}⍣6)1
⍝→ 1.414213562
