⍝ State of loops that indexed assignment changes: it is the loop's own, and changed in place
⍝ (tests/text/simplify/copy-own-branch.core, copy-own-not.core), where nobody needs what it was.
v←1009|7919×⍳300
⍝ exchange of neighbours that are out of order: a pass of a bubble sort, and all of them
pass←{(i w)←⍵ ⋄ i≥⍴w: w ⋄ w[i]≤w[i+1]: ∇ (i+1) w ⋄ t←w[i] ⋄ w[i]←w[i+1] ⋄ w[i+1]←t ⋄ ∇ (i+1) w}
⎕←4↑pass 1 v
⍝→ 703 550 397 244
b←{pass 1 ⍵}⍣60⊢60↑v
⎕←+/2>/b
⍝→ 0
⎕←(+/b) (+/b×⍳60)
⍝→ 30782 1241832
⍝ what it was is still there, for who asks
⎕←(+/v),v[1 300]
⍝→ 152023 856 514
⍝ counting, with an exit that gives the state
c←{(i h)←⍵ ⋄ i>⍴v: h ⋄ k←1+10|v[i] ⋄ h[k]←h[k]+1 ⋄ ∇ (i+1) h}
⎕←c 1 (10⍴0)
⍝→ 30 31 29 31 30 30 30 31 28 30
⍝ an element is used when it has been overwritten
f←{w←⍵ ⋄ i←w⍳⌈/w ⋄ k←w[i] ⋄ w[i]←0 ⋄ w+7|k}
⎕←(+/r) (+/v×r←f⍣25⊢v)
⍝→ 145774 87767128
⍝ ... also by what decides
g←{w←⍵ ⋄ i←1+300|+/w ⋄ k←w[i] ⋄ w[i]←1 ⋄ k>500: w-2 ⋄ w[1+300|k]+←k ⋄ w}
⎕←(+/r) (+/v×r←g⍣25⊢v)
⍝→ 139025 93555710
⍝ a view of what was: not in place
h←{w←⍵ ⋄ r←⌽⍵ ⋄ w[1+300|⌈/w]←5 ⋄ w-r}
⎕←(+/r) (+/v×r←{1009|h ⍵}⍣25⊢v)
⍝→ 151751 77477646
⍝ two names for one array, in two places of the state
p←{(a z)←⍵ ⋄ a[1+300|z[3]]←9 ⋄ z[1+300|+/a]←a[2] ⋄ (+/a)>+/z: a a ⋄ (a+1) z}
(a z)←p⍣25⊢v v
⎕←(+/a) (+/z) (+/a×z)
⍝→ 157280 157156 106619256
⍝ rows of a matrix change places, and one is subtracted
m←12 9⍴v
q←{(k m)←⍵ ⋄ t←m[k;] ⋄ j←1+12|⌈/t ⋄ m[k;]←m[j;] ⋄ m[j;]←t ⋄ (1+12|k) (m-((⍳12)=j)∘.×⌊t÷2)}
(k r)←q⍣25⊢1 m
⎕←k (+/+/r) (+/(⍳12)×+/r)
⍝→ 2 23952 166955
⍝ a loop in a loop, both of which change the same array
o←{w←⍵ ⋄ w[1]+←1 ⋄ (j w)←{(j w)←⍵ ⋄ w[1+300|w[j]]←j ⋄ (j+1) w}⍣5⊢(1 w) ⋄ w[300]>4: w ⋄ w[300]+←1 ⋄ w}
⎕←(+/r) (+/v×r←o⍣25⊢v)
⍝→ 136326 91387642
