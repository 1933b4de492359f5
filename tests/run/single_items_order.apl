⍝ also: opencl TAILOR_KERNELS=cpu
⍝ What one work-item does behind a reduction stands behind what the host reads before it, whatever the host does with it:
⍝ a print, how many places, how often.
us←100000|7919×⍳100000
f←{w←⍵ ⋄ m←⌈/w ⋄ h←w[3] ⋄ w[3]←m ⋄ ⎕←h ⋄ w+h}
⎕←+/(f⍣3) us
⍝→ 23757
⍝→ 123756
⍝→ 247512
⍝→ 44502526242
g←{w←⍵ ⋄ m←⌈/w ⋄ k←1+1000|w[3] ⋄ w[3]←m ⋄ w[⍳k]←7 ⋄ w}
⎕←+/(g⍣3) us
⍝→ 4962067847
i←{w←⍵ ⋄ m←⌈/w ⋄ k←10|w[3] ⋄ w[3]←m ⋄ {⍵+1}⍣k⊢w}
⎕←+/(i⍣3) us
⍝→ 5001526242
