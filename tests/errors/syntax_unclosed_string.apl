⍝ A string without an end is reported at its beginning, and only its line is lost.
a←'it''s
b←"and
c←'fine'
d←1 'x
