⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_COPIED_BYTES=0
⍝ What says whether a loop goes on is not decided before kernels in a branch of the host's have run that would do nothing
⍝ once it has ended.
n←⎕ArgInt 'n' 300
v←⍳n
g←{(k w s)←⍵ ⋄ t←+/w ⋄ u←{0=2|k: w+1 ⋄ 3+⌽w} 0 ⋄ (k+1) u t}
(k w s)←(g⍣{(k w s)←⍺ ⋄ s≥60000}) 0 v 0
⎕←k s (+/w) (+/w×v)
⍝→ 27 60750 61050 6938050
⍝ in a loop that the device ends, branches of which one leaves what is there
f←{(k e w)←⍵ ⋄ e<0.01: k e w ⋄ p←w×1-0.01×3|k ⋄ g←+/p×p ⋄ g<e: ∇ (k+1) g p ⋄ ∇ (k+1) (e-0.001) w}
x←v÷n
(k e w)←f 0 (+/x×x) x
⎕←k,(⌊1e6×e),⌊1e3×+/w
⍝→ 418 9114 3327
