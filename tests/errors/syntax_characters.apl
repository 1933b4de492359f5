⍝ Characters that APL does not know.
a←1 # 2
b←&1
c←1 % 3
d←⍠
e←😀
f←1;2
