⍝ f⍣g: until g holds between the new state and the one before.
n←⎕ArgInt 'n' 2
⌊0.5+1E9×n{0.5×⍵+⍺÷⍵}⍣{1E¯12>|⍺-⍵}n
⍝→ 1414213562
{⍵,+/¯2↑⍵}⍣{7<≢⍺}1 1
⍝→ 1 1 2 3 5 8 13 21
{⌊⍵÷n}⍣=1000
⍝→ 0
