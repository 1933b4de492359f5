⍝ Conway's Game of Life on a torus: the number of cells alive after some generations.
⍝ test: --n=32 --generations=6
⍝ gives: 261

n           ← ⎕ArgInt 'n' 1200            ⍝ the board has n rows of n cells
generations ← ⎕ArgInt 'generations' 100

⍝ A cell lives in the next generation if the three by three cells around it hold three alive, or four
⍝ with itself alive.
life ← {
    row  ← (¯1⌽⍵)+⍵+1⌽⍵
    area ← (¯1⊖row)+row+1⊖row
    (area=3)∨⍵∧area=4
}

i     ← ⍳n×n
board ← (n n)⍴300>1009|i×5+i×i            ⍝ about three cells in ten, scattered

⎕ ← +/,(life⍣generations) board
