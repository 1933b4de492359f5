⍝ @ ⌺ ⌸: what is known to be wrong.
n←⎕ArgInt 'n' 3
v←⍳5
(0@6)v
(1 2@1)v
(0@{1 0})v
(0@{2})v
(+/⌺3 3)v
(+/⌺n)v
(+/⌺0)v
(1 2 3{+/⍵}⌸1 2)
(5{+/⍵}⌸6)
