⍝ Powers of reals: exact where the result is a double that is whole or the root of a square, and of bases that are negative,
⍝ 0, infinite or subnormal, with exponents and results that are very large or small. (Worked out; C says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 100
i ← ⍳n
r ← 0.5×i
⎕ ← ∧/(i*2+0×r)=i×i
⍝→ 1
⎕ ← (0⌈1000-i)≡((0⌈1000-i)*2+0×r)*0.5
⍝→ 1
⎕ ← 1E¯15>⌈/|1-(r*¯1.5)×r*1.5
⍝→ 1
⎕ ← +/(2*r)<2*0.5+r
⍝→ 100
⎕ ← 8↑(i-4)*0.0+3
⍝→ ¯27 ¯8 ¯1 0 1 8 27 64
⎕ ← 8↑(i-4)*0.0-i
⍝→ ¯0.3333333333 0.25 ¯1 ∞ 1 0.015625 0.0004572473708 0.00001525878906
⎕ ← 6↑(0×r)*0.5×i-1
⍝→ 1 0 0 0 0 0
⎕ ← 5↑(÷0×r)*i-2.0
⍝→ 0 1 ∞ ∞ ∞
⎕ ← 4↑(1+0×r)*1E300×i
⍝→ 1 1 1 1
⎕ ← 6↑(10*r+290)×10.0*-r+290
⍝→ 1 1 1 1 1 1
⎕ ← 4↑10*r+308
⍝→ ∞ ∞ ∞ ∞
⎕ ← 4↑1E308×10*-r+323
⍝→ 4.940656458E¯16 0 0 0
⎕ ← 5↑1E300×(1E¯310×i)*1+0×r
⍝→ 1E¯10 2E¯10 3E¯10 4E¯10 5E¯10
⎕ ← 4↑2*¯1073-i
⍝→ 4.940656458E¯324 0 0 0
