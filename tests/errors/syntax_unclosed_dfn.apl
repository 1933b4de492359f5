⍝ An unclosed dfn is reported at its brace; what it holds is still read.
f←{
  ⍵=0:1
  x←(⍵
  ⍵+1
