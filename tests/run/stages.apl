⍝ Checks of several SOACs that are one: none fails, so that there are values, and then the first of all rows of the first that can.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
⎕←+/a[i]×a[j]
⍝→ 6782552500
⎕←(+/a[i]-a[j]),⌈/a[j]-a[i]
⍝→ 0 2724
r←n⍴0 ⋄ r[j]+←a[i]-1
⎕←(+/r),r[1 2 12]
⍝→ 4498500 0 1637 7
⎕←⌈/+\a[i]-a[j]
⍝→ 100776
f←{s←n⍴0 ⋄ s[j]+←⍵[i] ⋄ 1009|s}
⎕←+/(f⍣3)a
⍝→ 1499725
j[17]←n+1
i[2900]←¯5
⎕←+/a[j]×a[i]
⍝✗ stages.apl:20:10:
⍝✗ INDEX ERROR: ¯5 of 3000
