⍝ run: emit --to=tail
⍝ Two calls of a function with the same argument, or with arguments that are computed alike, are one
⍝ where nothing is printed, read or drawn in them; in branches that exclude each other they are not.
n ← ⎕ArgInt 'n' 5
f ← {⍵×⍵+1}
g ← {(f ⍵)+f ⍵}
⎕←g n
h ← {(f 0.5×⍵)-f 0.5×⍵}
⎕←h ⍳n
k ← {⍵>3: f ⍵ ⋄ -f ⍵}
⎕←k n
p ← {⎕←⍵ ⋄ ⍵+1}
q ← {(p ⍵)+p ⍵}
⎕←q n
r ← {(f ⍵)-f ⍵+1}
⎕←r n
a ← 2
s ← {a+⍵}
t ← {x←s ⍵ ⋄ y←s ⍵ ⋄ x×y}
⎕←t n
