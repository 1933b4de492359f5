⍝ Rotations, reversals and transpositions one after the other; amounts beyond the size, and such that cannot be negated.
none←⎕ArgInt 'none' 0 ⋄ one←⎕ArgInt 'one' 1 ⋄ two←⎕ArgInt 'two' 2 ⋄ three←⎕ArgInt 'three' 3
seven←⎕ArgInt 'seven' 7 ⋄ many←⎕ArgInt 'many' 1000
least←⎕ArgInt 'least' ¯9223372036854775808
⍝ ⌽1⌽v
back←{2⌽⌽3⌽⍳⍵}
⎕←back none
⍝→
⎕←back one
⍝→ 1
⎕←back two
⍝→ 1 2
⎕←back three
⍝→ 1 3 2
⎕←back seven
⍝→ 1 7 6 5 4 3 2
⎕←3↑back many
⍝→ 1 1000 999
⍝ (-⍺)⌽v; of 7, -2*63 is 6, since 2*63 is 1 more than a multiple of 7
across←{⌽⍺⌽⌽⍳⍵}
⎕←two across none
⍝→
⎕←two across one
⍝→ 1
⎕←two across seven
⍝→ 6 7 1 2 3 4 5
⎕←least across seven
⍝→ 2 3 4 5 6 7 1
⎕←least across three
⍝→ 3 1 2
⎕←3↑least across many
⍝→ 809 810 811
twice←{⍺⌽⍺⌽⍳⍵}
⎕←least twice seven
⍝→ 6 7 1 2 3 4 5
⎕←seven twice three
⍝→ 3 1 2
m←(two,three)⍴⍳6
⍝ 2⊖ is nothing, ⌽ and ⍉ make columns of rows from the last, each is rotated by 3, which is 1
⎕←3⌽⍉2⊖⌽m
⍝→ 6 3
⍝→ 5 2
⍝→ 4 1
⎕←three⌽⍉one⊖⌽m
⍝→ 3 6
⍝→ 2 5
⍝→ 1 4
⎕←1⊖⌽2⌽1⊖⌽m
⍝→ 2 3 1
⍝→ 5 6 4
⎕←⍴3⌽⍉2⊖⌽(none,three)⍴0
⍝→ 3 0
⎕←⍴3⌽⍉2⊖⌽(three,none)⍴0
⍝→ 0 3
⎕←⊖⍉1⌽⍉⊖m
⍝→ 4 5 6
⍝→ 1 2 3
