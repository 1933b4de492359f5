⍝ Bit operations on 32-bit words (results are signed words) and on 64 bits; the names of older programs.
n←⎕ArgInt 'n' 6
n ⎕INT32AND 3
⍝→ 2
n ⎕INT32OR 9
⍝→ 15
n ⎕INT32XOR 3
⍝→ 5
⎕INT32NOT n
⍝→ ¯7
1 ⎕INT32SHL n
⍝→ 64
1 ⎕INT32SHL 31
⍝→ ¯2147483648
1 ⎕INT32SHL n+26
⍝→ 0
¯1 ⎕INT32SHR n
⍝→ 67108863
¯1 ⎕INT32SHR n-6
⍝→ ¯1
¯64 ⎕INT32SHAR n
⍝→ ¯1
4294967296 ⎕INT32OR n
⍝→ 6
(⍳5)⎕INT32AND n
⍝→ 0 2 2 4 4
(⍳3)⎕INT32XOR 3 2 1
⍝→ 2 0 2
1 ⎕INT64SHL 40
⍝→ 1099511627776
¯1 ⎕INT64SHR 60
⍝→ 15
¯16 ⎕INT64SHAR 2
⍝→ ¯4
n ⎕INT64AND 12
⍝→ 4
n ⎕INT64OR 8
⍝→ 14
n ⎕INT64XOR 12
⍝→ 10
⎕INT64NOT n
⍝→ ¯7
n and 3
⍝→ 2
n xor 3
⍝→ 5
1 sll 4
⍝→ 16
n srl 1
⍝→ 3
1 2 3 testBit n
⍝→ 0 1 1
⎕INT32XOR/⍳n
⍝→ 7
