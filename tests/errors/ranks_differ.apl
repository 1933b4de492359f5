⍝ Arrays of different ranks.
⎕←1 2 3+2 2⍴⍳4
