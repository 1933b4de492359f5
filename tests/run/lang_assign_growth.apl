⍝ An update costs what it writes: a million of them in an array of a million items, where copies would
⍝ take minutes.
⍝ backends: interp c
n←⎕ArgInt 'n' 1000000
step←{v←⍵[1] ⋄ i←⍵[2] ⋄ v[1+n|i×7]←i ⋄ v (i+1)}
r←(step⍣n)((n⍴0) 1)
⎕←+/r[1]
⍝→ 500000500000
⎕←1↑r[1]
⍝→ 1000000
