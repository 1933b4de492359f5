⍝ Powers by the items of an array that is known, reduced along it: exponents that count, with halves, negative ones and higher ones,
⍝ and polynomials. The numbers are whole or quarters, so that all results are exact. (Worked out in Python.)
⍝ also: opencl TAILOR_KERNELS=gpu
⍝ also: opencl TAILOR_KERNELS=cpu
x ← ⌷¯10+⍳⎕ArgInt 'n' 20
h ← x÷2
(⌈/+/x∘.*⍳4),(⌊/-/x∘.*⍳3),+/+/h∘.*⍳4
⍝→ 11110 ¯819 2839.125
c ← ⌷3 ¯1 2 5 1 ¯2 4 1
+/(x∘.*0 1 2 3 4 5 6 7)+.×c
⍝→ 21674296
+/(h∘.*0 1 2 3)+.×0.5 1 2 ¯4
⍝→ ¯150
s ← ⌷4*⍳6
+/s∘.*¯1 ¯0.5 0.5 1 1.5
⍝→ 14.75 84.3125 584.140625 4368.066406 33824.03223 266304.0159
0 ¯1 1∘.*⍳3
⍝→  0 0  0
⍝→ ¯1 1 ¯1
⍝→  1 1  1
+/(⌷0 ¯1 1 2)∘.*0 1 2 3 4
⍝→ 1 1 5 31
