⍝ An array that grows in each step by what a filter keeps has room on devices for all that may come, so that nothing waits for how much
⍝ it is: behind what is there, before it, twice in a step, beside a filter of its own, turned, and where nothing is there at first.
⍝ args: --n=30
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_SCAN=phases
⍝ also: opencl TAILOR_COPIED_BYTES=0
n ← ⎕ArgInt 'n' 20
w ← ⍳n
behind ← {(v k)←⍵ ⋄ (v,(k=7|w)/w×k) (k+1)}
(v k) ← (behind⍣6) (⍳3) 0
⎕ ← v ⋄ ⎕ ← k
⍝→ 1 2 3 0 0 0 0 1 8 15 22 29 4 18 32 46 60 9 30 51 72 16 44 72 100 25 60 95 130
⍝→ 6
before ← {(v k)←⍵ ⋄ (((w>26+k)/w),(v>20)/v) (k+1)}
(v k) ← (before⍣3) (⍳0) 0
⎕ ← v
⍝→ 29 30 28 29 30 27 28 29 30
twice ← {(v k)←⍵ ⋄ m←(w>28)∨w<k ⋄ (v,(m/w),⌽m/w) (k+1)}
(v k) ← (twice⍣2) (0⍴0) 1
⎕ ← v
⍝→ 29 30 30 29 1 29 30 30 29 1
⍝ Each step keeps what is left of the last ones, and the sum of the length and what was there says what comes.
sums ← {(v k)←⍵ ⋄ (⌽v,(w=k+5|+/v)/w) (k+≢v)}
(v k) ← (sums⍣5) (,4) 1
⎕ ← v ⋄ ⎕ ← k
⍝→ 11 4 5 4 6 11
⍝→ 16
