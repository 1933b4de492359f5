⍝ The first check holds in all rows: of those of the second that do not, the first tells.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
j[2900]←n+2
j[1700]←0
j[1701]←n+1
⎕←⌈/a[j]-a[i]
⍝✗ stages_second.apl:10:5
⍝✗ INDEX ERROR: 0 of 3000
