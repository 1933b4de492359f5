⍝ What goes over rows that branches give goes into these, with what it needs beside them: a check of that does not pass what
⍝ prints before it, nor what fails before it.
n←⎕ArgInt 'n' 50
c←⎕ArgInt 'c' 1
k←⎕ArgInt 'k' 7
v←⍳n
m←⌷7 n⍴⍳350
(r q)←{c=1: (⌽⍵) 51 ⋄ (⍵×2) 2} v
⎕←'before'
⎕←+/r×m[k;]
a←v[q]
b←m[k+1;]
⎕←+/r×b
⎕←a
⍝→ before
⍝→ 404600
⍝✗ branch_errors.apl:11:3:
⍝✗ INDEX ERROR: 51 of 50
