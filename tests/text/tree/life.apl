⍝ run: emit --to=tree
⍝ The classic, its body applied here so that it is bound.
b←3 3⍴0
↑1 b∨.∧3 4=+/,¯1 0 1∘.⊖¯1 0 1∘.⌽⊂b
