⍝ Guards that choose between arrays of different lengths, at run time.
n←⎕ArgInt 'n' 3
f←{⍵>5:⍳⍵ ⋄ ⍵⍴7}
⎕←f n
⍝→ 7 7 7
⎕←f 2×n
⍝→ 1 2 3 4 5 6
⎕←+/f 2×n
⍝→ 21
