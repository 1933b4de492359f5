⍝ Sums of sums, extremes of extremes and the like, of rows and of columns, of matrices that may have no rows or none of
⍝ any length: each is one reduction of all elements, ⍳n×m here. Of cubes, of each plane and of all.
z←⎕ArgInt 'z' 0
of←{(+/+/⍵),(+/+⌿⍵),(+/+/⍵×⍵),(0⌈⌈/⌈/⍵),(99⌊⌊/⌊⌿⍵),(+/+/⍵>2),(≠/≠/2|⍵),∧/∧⌿⍵>0}
⎕←of ((z+0),z+5)⍴⍳z
⍝→ 0 0 0 0 99 0 0 1
⎕←of ((z+5),z+0)⍴⍳z
⍝→ 0 0 0 0 99 0 0 1
⎕←of ((z+1),z+1)⍴⍳1+z
⍝→ 1 1 1 1 1 0 1 1
⎕←of ((z+2),z+65)⍴⍳130+z
⍝→ 8515 8515 740805 130 1 128 1 1
⎕←of ((z+65),z+2)⍴⍳130+z
⍝→ 8515 8515 740805 130 1 128 1 1
⎕←of ((z+65),z+65)⍴⍳4225+z
⍝→ 8927425 8927425 25148556225 4225 1 4223 1 1
⍝ integers wrap
⎕←+/+/((z+3),z+4)⍴z+4611686018427387904
⍝→ 0
⍝ a cube of two planes of three rows
c←((z+2),(z+3),z+65)⍴⍳390+z
⎕←+/+/c
⍝→ 19110 57135
⎕←+/+/+/c
⍝→ 76245
⎕←3↑+⌿+⌿c
⍝→ 981 987 993
⎕←⌈/⌈⌿⌊⌿c
⍝→ 195
⎕←+/+/((z+2),(z+0),z+5)⍴c
⍝→ 0 0
⎕←+⌿+⌿((z+0),(z+3),z+5)⍴c
⍝→ 0 0 0 0 0
⍝ a loop that has it in each step
⎕←({(⍵×2)⌊+/+/⍵=((z+3),z+4)⍴⍳z+12}⍣(z+2))((z+3),z+4)⍴⍳z+12
⍝→ 1 1 1 1
⍝→ 1 1 1 1
⍝→ 1 1 1 1
⍝ of bools, of views and of nothing
c0←((z+3),(z+3),z+130)⍴10-1+21|13×⍳50+z
⎕←≠/≠/≠⌿2<2 1 3⍉c0
⍝→ 0
b←((z+3),z+130)⍴0≠7|⍳50+z
⎕←(∧/∧/b),(∨/∨/b),(≠/≠/b),(≠/≠⌿b),∧/∧⌿~0×b
⍝→ 0 1 0 0 1
⎕←(∧/∧/(0,z+4)⍴b),(∨/∨/((z+4),0)⍴b),≠/≠/(1,z+1)⍴b
⍝→ 1 0 1
