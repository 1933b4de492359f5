⍝ Text in a function of ⎕ASSOC: only the host makes text.
({⍺+≢⍕⍵}⎕ASSOC 0)/⍳⎕ArgInt 'n' 4
