⍝ All that is added is there; one place is not.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
⎕←'before'
⍝→ before
j[1999]←¯7
j[2999]←n+1
r←n⍴0
r[j]+←a[i]
⎕←+/r
⍝✗ stages_histogram_second.apl:12:1
⍝✗ INDEX ERROR: ¯7 of 3000
