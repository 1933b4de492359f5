⍝ Effects are not for functions of ⎕ASSOC; what functions with effects want.
({⎕←⍺+⍵}⎕ASSOC 0)\⍳3
({⎕←⍺+⍵}⎕ASSOC 0)/⍳3
({⍺+?⍵}⎕ASSOC 0)/4 5 6
({⍺+⎕NOW 0}⎕ASSOC 0)/⍳3
⎕ArgInt 5
⎕ArgInt 'n' 'abc'
⎕ReadFile 5
⎕NOW 1 2
({⎕PP←⍵ ⋄ ⍵}⎕ASSOC 0)/⍳3
⎕IO←2
1 ⎕NOW 2
1 ⎕INT32NOT 2
⎕INT32AND 2
'a'⎕INT32AND 2
⎕INT32AND/⍳0
