⍝ also: opencl TAILOR_KERNELS=cpu
⍝ Functions that call themselves, of whole numbers, for each of a thousand: lanes that end one after the other.
n ← ⎕ArgInt 'n' 1000
⍝ Integer square roots, a bit at a time. k is the root of 2k+1 numbers, k = 1 ... 30, and 31 that of the last 40.
root ← {x←⍵ ⋄ f←{(r s)←⍵ ⋄ s=0:r ⋄ t←r+s ⋄ x≥t×t:∇ t,⌊s÷2 ⋄ ∇ r,⌊s÷2} ⋄ f 0 32}
⎕ ← +/root¨⍳n
⍝→ 20615
⎕ ← (40×31)+k+.×1+2×k←⍳30
⍝→ 20615
⍝ Bits, each taken away; of the numbers below 1024 half of 10 × 1024.
bits ← {f←{(x c)←⍵ ⋄ x=0:c ⋄ ∇ (x ⎕INT64AND x-1)(c+1)} ⋄ f ⍵ 0}
⎕ ← (bits¨⍳n)≡+⌿(10⍴2)⊤⍳n
⍝→ 1
⎕ ← +/bits¨⍳1023
⍝→ 5120
⍝ Collatz: 871 takes 178 steps, the most below 1000.
steps ← {f←{(x c)←⍵ ⋄ x≤1:c ⋄ 0=2|x:∇(⌊x÷2)(c+1) ⋄ ∇(1+3×x)(c+1)} ⋄ f ⍵ 0}
⎕ ← ⌈/s←steps¨⍳n
⍝→ 178
⎕ ← s⍳178
⍝→ 871
