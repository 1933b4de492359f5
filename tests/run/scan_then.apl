⍝ What takes the rows of a scan, in the kernel that scans: more rows than a tile has, again and again.
⍝ also: opencl TAILOR_SCAN=look-back
⍝ also: opencl TAILOR_SCAN=phases
⎕←¯3↑{7|+\⍵}⍣3⊢⍳5000
⎕←{(+\⍵)÷⍳≢⍵} 2 4 9
⎕←(+\1 ¯3 5)>0
⎕←⌈/+\3 ¯1 4 ¯9 2
⎕←⌈/+\⍳0
⎕←{(+\⍵),+/⍵} 2 4 9
⎕←{⍵÷⌈/⍵}+\1 2 5.0
⎕←(3<+\⍳5)/⍳5
⎕←(2|⍳6)/+\⍳6
⍝→ 0 1 5
⍝→ 2 3 5
⍝→ 1 0 1
⍝→ 6
⍝→ ¯1.797693135E308
⍝→ 2 6 15 15
⍝→ 0.125 0.375 1
⍝→ 3 4 5
⍝→ 1 6 15
