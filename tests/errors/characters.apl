⍝ Arithmetic on characters.
⎕←1+'abc'
