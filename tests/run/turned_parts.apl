⍝ Arrays that are rotated by numbers which only run time knows: loops are cut where the turn begins, once or where two turns
⍝ begin, whichever is first; with borders of other kinds beside them, and for none, one and more places than there are rows
z ← ⎕ArgInt 'z' 0
v ← ⍳z+7
w ← ⍳z
m ← (3 5)⍴⍳15
one ← {v+10×(z+⍵)⌽v}
one 0
⍝→ 11 22 33 44 55 66 77
one 1
⍝→ 21 32 43 54 65 76 17
one ¯2
⍝→ 61 72 13 24 35 46 57
one 100
⍝→ 31 42 53 64 75 16 27
two ← {((z+⍵)⌽v)+10×(z-⍵)⌽v}
two 0
⍝→ 11 22 33 44 55 66 77
two 2
⍝→ 63 74 15 26 37 41 52
two ¯3
⍝→ 45 56 67 71 12 23 34
two 7
⍝→ 11 22 33 44 55 66 77
more ← {((z+⍵)⌽v)+(10×1⌽v)+100×0,¯1↓v}
more 2
⍝→ 23 134 245 356 467 571 612
more ¯1
⍝→ 27 131 242 353 464 575 616
three ← {((z+⍵)⌽v)+(10×(z-⍵)⌽v)+100×(z+2×⍵)⌽v}
three 1
⍝→ 372 413 524 635 746 157 261
three 3
⍝→ 754 165 276 317 421 532 643
((z+2)⌽w)+(z-1)⌽w
⍝→
across ← {((z+⍵)⌽m)+100×(z-⍵)⊖m}
across 1
⍝→ 1102 1203 1304 1405 1501
⍝→  107  208  309  410  506
⍝→  612  713  814  915 1011
across ¯2
⍝→ 1104 1205 1301 1402 1503
⍝→  109  210  306  407  508
⍝→  614  715  811  912 1013
+/((z+3)⌽v)×(z-3)⌽v
⍝→ 119
