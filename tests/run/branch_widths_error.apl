⍝ The first place that there is none of, though work-items do several rows each.
n←10000
strike←{(k b)←⍵ ⋄ (+/b)<9: (k+1) b ⋄ b[k×⍳9000]←0 ⋄ (k+1) b}
(k b)←(strike⍣1)1 (n⍴1)
⎕←k,+/b
⍝→ 2 1000
(k b)←(strike⍣9)2 (n⍴1)
⎕←k,+/b
⍝✗ branch_widths_error.apl:3:
⍝✗ INDEX ERROR: 10002 of 10000
