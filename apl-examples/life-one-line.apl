⍝ The Game of Life in the classic line of APL: every neighbour's board is a turn of the board.
⍝ test: --n=16 --generations=4
⍝ gives: 1

n           ← ⎕ArgInt 'n' 600             ⍝ the board has n rows of n cells
generations ← ⎕ArgInt 'generations' 100

life ← {↑1 ⍵∨.∧3 4=+/,¯1 0 1∘.⊖¯1 0 1∘.⌽⊂⍵}

⍝ A glider moves one cell down and one to the right every four generations.
glider ← (n n)↑3 3⍴0 1 0 0 0 1 1 1 1
moved  ← ¯1⊖¯1⌽glider
⎕ ← ((life⍣generations) glider)≡({¯1⊖¯1⌽⍵}⍣(⌊generations÷4)) glider
