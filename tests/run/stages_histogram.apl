⍝ What is added is read for all rows before a row is added to a place.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
j[1]←n+1
i[3000]←n+2
r←n⍴0
r[j]+←a[i]
⎕←+/r
⍝✗ stages_histogram.apl:10:7
⍝✗ INDEX ERROR: 3002 of 3000
