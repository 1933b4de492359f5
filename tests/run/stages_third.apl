⍝ The second check counts before the third, wherever they fail.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
k[3]←¯1
j[2999]←n+1
j[3000]←n+9
⎕←+/a[k]×a[j]+a[i]
⍝✗ stages_third.apl:10:10
⍝✗ INDEX ERROR: 3001 of 3000
