⍝ APL that tailor does not have, each with what to write instead.
⍞
x←⍞
→0
loop: 3
:If 1
f←{∇∇ ⍵}
y←⎕
⍺←3
1:2
