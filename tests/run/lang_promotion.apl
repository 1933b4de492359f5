⍝ Promotion: bool to int to double, where literals 0 and 1 are booleans that serve as ints; characters
⍝ compare for equality only.
n←⎕ArgInt 'n' 3
b←n>⍳5
b
⍝→ 1 1 0 0 0
b+1
⍝→ 2 2 1 1 1
-b
⍝→ ¯1 ¯1 0 0 0
b×2.5
⍝→ 2.5 2.5 0 0 0
b,2
⍝→ 1 1 0 0 0 2
b,0.5
⍝→ 1 1 0 0 0 0.5
b⌈0
⍝→ 1 1 0 0 0
b⌊1
⍝→ 1 1 0 0 0
+/b
⍝→ 2
b=1
⍝→ 1 1 0 0 0
b≠1
⍝→ 0 0 1 1 1
b<1
⍝→ 0 0 1 1 1
b∧1
⍝→ 1 1 0 0 0
b∨2
⍝→ 1 1 2 2 2
⍳1
⍝→ 1
≢⍳0
⍝→ 0
1 1⍉2 2⍴⍳4
⍝→ 1 4
∨/⍬
⍝→ 0
∧/⍬
⍝→ 1
+/⍬
⍝→ 0
⌊2.7×10
⍝→ 27
(⌊2.5)+1
⍝→ 3
÷4
⍝→ 0.25
'banana'='a'
⍝→ 0 1 0 1 0 1
'banana'≠'abnana'
⍝→ 1 1 0 0 0 0
'abc'=1
⍝→ 0 0 0
'abc'≠1
⍝→ 1 1 1
(n⍴'abc')=n⍴65
⍝→ 0 0 0
'a'≠n
⍝→ 1
9007199254740993+n
⍝→ 9007199254740996
9223372036854775807+n
⍝→ ¯9223372036854775806
1÷n-3
⍝→ ∞
