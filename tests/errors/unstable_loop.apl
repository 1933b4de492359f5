⍝ A loop whose state has another rank after each step.
n←⎕ArgInt 'n' 3
⎕←({⍵∘.+1 2}⍣n)1
⎕←({2 2⍴⍵}⍣n)1
