⍝ The first fault is the one that is told, also where a kernel of one work-item, which checks, could run before those in a
⍝ branch of the host's that check, too.
n←⎕ArgInt 'n' 300
v←⍳n
p←(6↑v),(n+5),7↓v
f←{(k w x)←⍵ ⋄ m←⌈/w ⋄ u←{2=3|k: w[p⌊n+5×k=5] ⋄ ⌽w} 0 ⋄ x←x+v[m+7×k=5] ⋄ (k+1) u x}
(k w x)←(f⍣9) 0 v 0
⎕←k (+/w) x
⍝✗ INDEX ERROR: 305 of 300
