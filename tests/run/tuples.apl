⍝ Strands of arrays are tuples; several names at once; tuples as the state of a loop.
(a b)←3 (4 5)
⎕←a
⍝→ 3
⎕←b
⍝→ 4 5
t←(1 2)(3 4 5)
⎕←2⊃t
⍝→ 3 4 5
⎕←≢t
⍝→ 2
(x y)←({(p q)←⍵ ⋄ q (p+q)}⍣10)0 1
⎕←x
⍝→ 55
⎕←y
⍝→ 89
(v k)←({(v k)←⍵ ⋄ (v×2)(k+1)}⍣3)(1 2 3)0
⎕←v
⍝→ 8 16 24
⎕←k
⍝→ 3
