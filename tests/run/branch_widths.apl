⍝ also: opencl TAILOR_KERNELS=cpu
⍝ Branches that write to as many places as they say: the device chooses, and the kernel of the branch that is not taken
⍝ has few work-items, whatever its width. The host waits where elements decide that it often has: the primes up to
⍝ 10000, the multiples of each struck out:
n←10000
strike←{(k b)←⍵ ⋄ b[k]=0: (k+1) b ⋄ b[k×1+⍳(⌊n÷k)-1]←0 ⋄ (k+1) b}
(k b)←(strike⍣99)2 (0,(n-1)⍴1)
⎕←(+/b),+/b×⍳n
⍝→ 1229 5736396
⍝ ... not where what decides is computed, and values are, too
fill←{(k b)←⍵ ⋄ (+/b)>20000000: (k+1) b ⋄ b[1+n|k×⍳⌊n÷2]←k+⍳⌊n÷2 ⋄ b[1]←k ⋄ (k+1) b}
(k b)←(fill⍣150)7 (n⍴0)
⎕←k,(+/b),b[1 2 3 5000]
⍝→ 157 20697558 9 0 4293 0
⍝ a width that nothing could be stored for, in branches that are not taken
wide←{(k b)←⍵ ⋄ 4≤⌈/b: (k+1) b ⋄ b[1+n|k×⍳10*k]←k ⋄ b[2]←k ⋄ (k+1) b}
(k b)←(wide⍣13)1 (n⍴0)
⎕←k,(+/b),b[1 2 3 4]
⍝→ 14 12322 4 4 2 3
