⍝ Scalars that kernels leave for the host: bools, several of one kernel, and one that a loop asks for again and again.
n←⎕ArgInt 'n' 1000
v←⍳n
⎕←+/v
⎕←+/¯6510615555426900571×v=3
⎕←(⌈/v)(⌊/v)(+/0.5×v)
⎕←(∧/v>0)(∨/v<0)
half←{⌊⍵÷2}
⎕←≢∪({⍵⌈half ⍵}⍣{(+/⍺)=+/⍵}) v
⎕←+/({(half ⍵)⌊half +/⍵}⍣{(+/⍺)=+/⍵}) v
⍝→ 500500
⍝→ ¯6510615555426900571
⍝→ 1000 1 250250
⍝→ 1 0
⍝→ 1000
⍝→ 0
