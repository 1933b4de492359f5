⍝ Modified assignment, with a function of any kind.
n←3
n+←4
⎕←n
⍝→ 7
n⌈←10
⎕←n
⍝→ 10
v←⍳3
v×←2
⎕←v
⍝→ 2 4 6
v{⍺,⍵}←9
⎕←v
⍝→ 2 4 6 9
