⍝ A one-element array extends, like a scalar, also where its length is known only at run time.
⎕←(,5)+1 2 3
⍝→ 6 7 8
⎕←1 2 3×,2
⍝→ 2 4 6
n←⎕ArgInt 'n' 1
⎕←(⍳n)+10 20 30
⍝→ 11 21 31
⎕←10 20 30-⍳n
⍝→ 9 19 29
⎕←(1 1⍴5)+2 2⍴⍳4
⍝→ 6 7
⍝→ 8 9
