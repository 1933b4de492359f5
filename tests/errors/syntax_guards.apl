⍝ Guards and defaults out of place.
f←{⍵:}
g←{:⍵}
h←{⍵:1:2}
i←{(⍵:1)}
j←{⍵[1:2]}
k←{⍺←}
l←{⍵::1 ⋄ 1}
