⍝ A dfn that needs a left argument.
f←{⍺+⍵}
⎕←f 3
