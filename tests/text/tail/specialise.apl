⍝ run: emit --to=tail
⍝ Every call of a dfn is its body at the argument types; closures, operators and known numbers are gone.
n←⎕ArgInt 'n' 3
twice←{⍺⍺ ⍺⍺ ⍵}
add←{⍺+⍵}
x←(1∘add twice)n
y←(0.5∘add twice)n
mean←+/÷≢
z←mean x,y
