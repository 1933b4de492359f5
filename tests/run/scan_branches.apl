⍝ Scans of rows and columns whose results are turned, in branches of a loop that the data chooses: sums of what six steps leave
⍝ (worked out again with Python).
⍝ also: opencl TAILOR_WORK_ITEMS=64 TAILOR_LANES=32
⍝ also: opencl TAILOR_WORK_ITEMS=100000 TAILOR_LANES=32
n←⎕ArgInt 'n' 20
m←(n,n)⍴⍳17
x←{c←0=2|+/,⍵ ⋄ c{⍺:100|⍉+\⍵ ⋄ ⍵+1}⍵}⍣6⊢m
⎕←+/,x×(⍴x)⍴⍳n×n
y←{c←0=2|+/,⍵ ⋄ c{⍺:100|+⍀⍵ ⋄ ⍉⍵+1}⍵}⍣6⊢m
⎕←+/,y×(⍴y)⍴⍳n×n
⍝→ 4325544
⍝→ 4194042
