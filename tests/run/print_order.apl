⍝ Output is in program order, also inside dfns, and of expressions that are not assigned.
f←{⎕←⍵ ⋄ ⍵+1}
⎕←f 1
⍝→ 1
⍝→ 2
3+4
⍝→ 7
x←⎕←5
⍝→ 5
⎕←x×2
⍝→ 10
'text'
⍝→ text
