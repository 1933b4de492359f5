⍝ Digits in radices that are known: of numbers that are computed, stored or negative; turned round, summed in two ways, and
⍝ where their weights exceed what an integer holds. (Worked out in Python.)
⍝ also: opencl TAILOR_KERNELS=gpu
i ← ⍳2000
⎕ ← +/i=10⊥⌽[1](4⍴10)⊤i
⍝→ 19
⎕ ← (+/+⌿(5⍴10)⊤i),+/10⊥⌽[1](5⍴10)⊤i
⍝→ 28002 99910020
j ← ¯7000+⌷10007|7919×⍳3000
⎕ ← (+/,(4⍴10)⊤j),(⌈/+⌿(3⍴7)⊤j),+/2⊥⌽[1](20⍴2)⊤j
⍝→ 54003 18 1573888206
⎕ ← +/,24 60 60⊤j×1009
⍝→ 211316
⎕ ← +⌿(7 0 5)⊤j[⍳5]
⍝→ 187 ¯233 ¯649 ¯1069 518
⎕ ← (+⌿(64⍴2)⊤j[⍳5]),+⌿(63⍴2)⊤j[⍳5]
⍝→ 7 61 58 59 5 7 60 57 58 5
⎕ ← +/,((20⍴10)⊤9223372036854775807-⍳9)×⍉9 20⍴⍳20
⍝→ 9067
⍝ Stored digits by radices that are powers of two are shifts and masks, also of negative numbers.
s ← ⌷(31⍴2)⊤j[⍳6]
s[12+⍳19;2]
⍝→ 1 1 1 1 1 1 1 1 0 1 1 0 1 1 0 1 1 1 1
+/+⌿s
⍝→ 97
t ← ⌷(0 16 2 1 8)⊤j
+/t
⍝→ ¯24882 22536 1499 0 10516
t[;1 5 9]
⍝→ 3 10 ¯23
⍝→ 9  0   6
⍝→ 0  1   1
⍝→ 0  0   0
⍝→ 7  6   6
