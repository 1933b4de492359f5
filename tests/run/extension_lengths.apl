⍝ What is put before an array without its last element has the array's length, unless that is 0: then one of the two is
⍝ extended, to no elements. Arrays of other lengths are extended, or are not.
none←⎕ArgInt 'none' 0 ⋄ one←⎕ArgInt 'one' 1 ⋄ two←⎕ArgInt 'two' 2 ⋄ three←⎕ArgInt 'three' 3
seven←⎕ArgInt 'seven' 7 ⋄ many←⎕ArgInt 'many' 1000
squares←{(⍳⍵)×⍳⍵}
second←{v←squares ⍵ ⋄ (0,¯1↓v)+(1↓v,0)-2×v}
⎕←second none
⍝→
⎕←second one
⍝→ ¯2
⎕←second two
⍝→ 2 ¯7
⎕←second three
⍝→ 2 2 ¯14
⎕←second seven
⍝→ 2 2 2 2 2 2 ¯62
⎕←+/second many
⍝→ ¯1000001
pairs←{v←squares ⍵ ⋄ v+0,¯1↓v}
⎕←pairs none
⍝→
⎕←pairs one
⍝→ 1
⎕←pairs two
⍝→ 1 5
⎕←pairs three
⍝→ 1 5 13
⎕←pairs seven
⍝→ 1 5 13 25 41 61 85
⍝ twice the sum of the squares up to 1000, 333833500, but for the last
⎕←+/pairs many
⍝→ 666667000
runs←{v←⌊(⍳⍵)÷2 ⋄ (1,(1↓v)≠¯1↓v)/v}
⎕←runs none
⍝→
⎕←runs one
⍝→ 0
⎕←runs two
⍝→ 0 1
⎕←runs three
⍝→ 0 1
⎕←runs seven
⍝→ 0 1 2 3
⎕←+/runs many
⍝→ 125250
windows←{v←⌊(⍳⍵)÷2 ⋄ (1,2≠/v)/v}
⎕←windows one
⍝→ 0
⎕←windows two
⍝→ 0 1
⎕←windows seven
⍝→ 0 1 2 3
⎕←+/windows many
⍝→ 125250
shifted←{v←squares ⍵ ⋄ v+0 0,¯2↓v}
⎕←shifted one
⍝→ 1 1
⎕←shifted two
⍝→ 1 4
⎕←shifted three
⍝→ 1 4 10
with←{v←squares ⍺ ⋄ (0,¯1↓v)+squares ⍵}
⎕←none with three
⍝→ 1 4 9
⎕←one with three
⍝→ 1 4 9
⎕←three with one
⍝→ 1 2 5
⎕←none with none
⍝→
⎕←one with none
⍝→
⎕←seven with seven
⍝→ 1 5 13 25 41 61 85
