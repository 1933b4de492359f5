⍝ Errors on one line, in several statements and dfns, are all reported.
a←) ⋄ b←] ⋄ c←1
f←{) ⋄ ⍵ ⋄ {1;2}⍵ ⋄ x←(}
g←c+ ⋄ h←#
