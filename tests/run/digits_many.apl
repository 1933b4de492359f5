⍝ Up to 64 digits and more in radices that are known: sums of bits and of other digits, of numbers that are negative or as large as
⍝ integers are, a table of bits, and reals whose radices weigh more than integers hold. (Worked out in Python.)
⍝ also: opencl TAILOR_KERNELS=gpu
⍝ also: opencl TAILOR_KERNELS=cpu
g ← ⌷¯400000+1000003|7919×⍳⎕ArgInt 'n' 2000
most ← 9223372036854775807
big ← (most-¯1+⍳3),(-most)+¯2+⍳3
bits ← {(+/+⌿(17⍴2)⊤⍵),(+/+⌿(20⍴2)⊤⍵),(+/+⌿(33⍴2)⊤⍵),(+/+⌿(63⍴2)⊤⍵),(+/+⌿(64⍴2)⊤⍵),+/+⌿(65⍴2)⊤⍵}
bits g
⍝→ 16939 19987 30491 54731 55539 56347
bits big
⍝→ 51 60 99 189 192 195
weighted ← {+/(⍳≢⍵)+.×⍵}
others ← {
  (weighted(20⍴10)⊤⍵),(weighted(41⍴3)⊤⍵),(weighted(32⍴4)⊤⍵),(weighted(0,18⍴7)⊤⍵),weighted(1000 60 60 24,(8⍴1),9⍴2)⊤⍵
}
others g
⍝→ 1708427 1562008 1437797 1050106 1336945
others big
⍝→ 5670 5166 4752 3399 4617
t ← ⌷(24⍴2)⊤g
(+/t[24 8;]),+/+/t
⍝→ 1000 952 23219
x ← ⌷1E10 ¯1E10+0.5
⍉(16⍴100000)⊤x
⍝→     0     0     0     0     0     0     0     0     0     0     0     0     0     1 0 0.5
⍝→ 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 0 0.5
⍉(18⍴100000)⊤x
⍝→     0     0     0     0     0     0     0     0     0     0     0     0     0     0     0     1 0 0.5
⍝→ 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 99999 0 0.5
+⌿(20⍴2)⊤x
⍝→ 7.5 4.5
⍝ a weight that an integer just holds
(2 9223372036854775807)⊤⌷most,(most-1),-most
⍝→ 1                   0 1
⍝→ 0 9223372036854775806 0
