⍝ All elements of a matrix, and of an array of three axes, reversed or rotated as one row and put back.
none←⎕ArgInt 'none' 0 ⋄ one←⎕ArgInt 'one' 1 ⋄ two←⎕ArgInt 'two' 2 ⋄ three←⎕ArgInt 'three' 3
seven←⎕ArgInt 'seven' 7 ⋄ many←⎕ArgInt 'many' 100
matrix←{(⍺,⍵)⍴⍳⍺×⍵}
reversed←{m←⍺ matrix ⍵ ⋄ (⍴m)⍴⌽,m}
rotated←{m←⍺ matrix ⍵ ⋄ (⍴m)⍴1⌽,m}
⎕←⍴none reversed three
⍝→ 0 3
⎕←⍴three rotated none
⍝→ 3 0
⎕←one reversed one
⍝→ 1
⎕←one rotated one
⍝→ 1
⎕←two reversed three
⍝→ 6 5 4
⍝→ 3 2 1
⎕←two rotated three
⍝→ 2 3 4
⍝→ 5 6 1
⎕←seven rotated one
⍝→ 2
⍝→ 3
⍝→ 4
⍝→ 5
⍝→ 6
⍝→ 7
⍝→ 1
⎕←one reversed seven
⍝→ 7 6 5 4 3 2 1
⎕←¯2 ¯3↑many reversed many
⍝→ 103 102 101
⍝→   3   2   1
⎕←¯2 ¯3↑many rotated many
⍝→ 9899  9900 9901
⍝→ 9999 10000    1
planes←{m←(⍺,⍵,two)⍴⍳⍺×⍵×two ⋄ m+(⍴m)⍴1⌽,m}
⎕←⍴two planes none
⍝→ 2 0 2
⎕←two planes two
⍝→  3  5
⍝→  7  9
⍝→
⍝→ 11 13
⍝→ 15  9
⎕←+/,many planes seven
⍝→ 1961400
