⍝ A picture smoothed and its edges found, both by a window that moves over it.
⍝ test: --n=12
⍝ gives: 1
⍝ gives: 32

n ← ⎕ArgInt 'n' 1000

⍝ a bright square in the dark
inside  ← ((⍳n)>⌊n÷6)∧(⍳n)≤n-⌊n÷6
picture ← inside∘.∧inside

smooth  ← {(+/,⍵)÷9}⌺3 3
⎕ ← (⌈/,smooth picture)≤1

⍝ an item of the edge differs from a neighbour above, below, left or right
cross   ← 3 3⍴0 1 0 1 0 1 0 1 0
edges   ← {(+/,cross×⍵)≠4×⍵[2;2]}⌺3 3
⎕ ← +/,(edges picture)∧~picture
