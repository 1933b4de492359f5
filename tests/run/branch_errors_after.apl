⍝ What is printed before a check of what goes into branches is printed.
n←⎕ArgInt 'n' 50
c←⎕ArgInt 'c' 1
k←⎕ArgInt 'k' 9
v←⍳n
m←⌷7 n⍴⍳350
r←{c=1: ⌽⍵ ⋄ ⍵×2} v
⎕←'before'
⎕←+/r×m[k;]
⍝→ before
⍝✗ branch_errors_after.apl:9:7:
⍝✗ INDEX ERROR: 9 of 7
