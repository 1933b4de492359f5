⍝ In the steps of a loop: the second step is the first in which a value is no place.
n←⎕ArgInt 'n' 3000
a←⍳n
i←1+n|7×a
j←1+n|11×a
k←1+n|13×a
f←{s←n⍴1 ⋄ s[j]←⍵[i]+⍵[k] ⋄ s}
⎕←+/f a
⍝→ 9003000
g←{a[⍵[i]]+a[⍵[j]]}
⎕←+/(g⍣2)a
⍝✗ stages_loop.apl:10:12
⍝✗ INDEX ERROR: 3188 of 3000
