⍝ A running sum of elements: of three checks the middle one fails last, and tells.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
k[1]←0
j[3000]←n+1
s←+\a[k]-a[j]×a[i]
⎕←⌈/s
⍝✗ stages_scan.apl:9:10
⍝✗ INDEX ERROR: 3001 of 3000
