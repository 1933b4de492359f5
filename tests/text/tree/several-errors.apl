⍝ run: emit --to=tree
⍝ A statement in error does not hide the others, nor makes errors where its names are used.
a←(1+
b←a+1
c←2
d←c+nope
d+1
f←{⍵+ ) ⋄ ⍵+1}
f c
