⍝ Misuse of ⎕ASSOC: what its identity element, its function and its argument must be.
v ← ⍳3
(+ ⎕ASSOC 0 0)/v
({⍺+⍵} ⎕ASSOC 0 0)/v v v
({⍺+⍵} ⎕ASSOC 0 0)/v (⍳4)
({⍵,⍺} ⎕ASSOC 0)/v
({⍵,⍺} ⎕ASSOC 0 0)/v v
({⍺+⍵} ⎕ASSOC (2 2⍴0))/v
({⍺+⍵} ⎕ASSOC 'a')/v
(3 ⎕ASSOC 0)/v
({⎕←⍺ ⋄ ⍺+⍵} ⎕ASSOC 0)/v
({⍺+⍵} ⎕ASSOC 0 (1 2))/v v
({⍺+⍵} ⎕ASSOC 0 0)/3 v
({⍺+⍵} ⎕ASSOC 0 0)/v (2 2⍴3)
({⍺+⍵} ⎕ASSOC (⍳⎕ArgInt 'n' 4))/v
({⍺+⍵} ⎕ASSOC 0 0)/[2]v v
+ ⎕ASSOC
