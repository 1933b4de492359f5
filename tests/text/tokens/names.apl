⍝ run: emit --to=tokens
⍝ Letters of any script, _ ∆ ⍙ $, then digits too. Composed and decomposed letters are one name.
a A1 _x $dot ∆x ⍙y2 x∆y
größe été été πr 変数 длина α ω
⍺ ⍵ ⍺⍺ ⍵⍵ ⍺⍺⍵ ⍺x ∇
⎕ ⎕IO ⎕ReadIntVecFile ⎕INT32AND ⎕1
