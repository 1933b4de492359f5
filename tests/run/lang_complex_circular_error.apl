⍝ Which circular function it is, only run time knows: of a real number 8 would be complex.
k ← ⎕ArgInt 'k' 8
k○0.5J0
⍝→ 0J1.118033989
(k-1)○0.0
⍝→ 0
k○0.5
⍝✗ lang_complex_circular_error.apl:7:2: DOMAIN ERROR
