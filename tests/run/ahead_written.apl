⍝ Loops that the device ends, in which the host runs ahead and would write in arrays of the device, one element or many, or
⍝ check a place that only a step too much does not have: such steps leave no trace. (Worked out; Python says the same.)
⍝ also: opencl TAILOR_KERNELS=gpu
n ← ⎕ArgInt 'n' 40
v ← ⍳n
⍝ each number of steps from 1 to 40: one element, and a place for each step, no more
steps ← {k←⍵ ⋄ {(b h i)←⍵ ⋄ b[1]←0 ⋄ c←b+1 ⋄ h[i]←+/c ⋄ k≤⌈/c: (+/c),(+/h),i ⋄ ∇ c h (i+1)}(0×v)(k⍴0) 1}
⎕ ← 4↑steps 1
⍝→ 40 40 1 0
⎕ ← 4↑steps 30
⍝→ 1171 18165 30 0
⎕ ← 1 {⍺>40: ⍵ ⋄ (⍺+1)∇ ⍵,⊃steps ⍺} 0⍴0
⍝→ 40 79 118 157 196 235 274 313 352 391 430 469 508 547 586 625 664 703 742 781 820 859 898 937 976 1015 1054 1093 1132 1171 1210 1249 1288 1327 1366 1405 1444 1483 1522 1561
⍝ a row that becomes another one, and one element of a matrix
m ← 5 8⍴v
rows ← {(u k)←⍵ ⋄ u[2;]←u[1;] ⋄ u[1;1]←k ⋄ w←u+1 ⋄ 60≤⌈/,w: k,,w ⋄ ∇ w (k+1)}
⎕ ← rows m 0
⍝→ 19 20 22 23 24 25 26 27 28 20 22 23 24 25 26 27 28 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
⍝ shortest ways, until nothing changes
near ← {d←⍵ ⋄ d[1+n|v×7]⌊←1+d[v] ⋄ d}
⎕ ← +/(near⍣≡)1000×v≠1
⍝→ 36006
