⍝ ⍕ with one argument: the characters that printing shows, as an array.
n ← ⎕ArgInt 'n' 3
⎕ ← ⍴⍕2 3⍴⍳6
⍝→ 2 5
⎕ ← ⍕2 3⍴⍳6
⍝→ 1 2 3
⍝→ 4 5 6
⎕ ← ≢⍕1 ¯2 3.5
⍝→ 8
⎕ ← '<',(⍕n,-n),'>'
⍝→ <3 ¯3>
⎕ ← '<',(⍕⍳n-n),'>'
⍝→ <>
⎕ ← ⍴⍕⍳n-n
⍝→ 0
⍝ columns as wide as their items need, rows padded
m ← 2 2⍴1.5 2 10.25,n
⎕ ← (⍕m),2 1⍴'|'
⍝→  1.5  2|
⍝→ 10.25 3|
⎕ ← ⍴⍕2 2 2⍴÷⍳8
⍝→ 2 2 25
⎕ ← ⍕2 1 2⍴n×⍳4
⍝→ 3  6
⍝→
⍝→ 9 12
⎕ ← ⍴⍕0 3⍴n
⍝→ 0 2
⎕ ← ⍴⍕3 0⍴n
⍝→ 3 0
⍝ one item at each rank
⎕ ← ⍴¨(⍕n)(⍕,n)(⍕1 1⍴n)(⍕1 1 1⍴n)
⍝→ 1
⍝→ 1
⍝→ 1 1
⍝→ 1 1 1
⍝ bools, characters, reals
⎕ ← ⌽⍕n>⍳4
⍝→ 0 0 1 1
⎕ ← ⍴⍕'a'
⍝→
⎕ ← ⍕'text'
⍝→ text
⎕ ← ⍕2 2⍴'abcd'
⍝→ ab
⍝→ cd
⎕ ← ⍕(÷n),1E10 1E¯7 ,-n÷0
⍝→ 0.3333333333 1E10 1E¯7 ¯∞
⎕ ← ' '=⍕10 20 30
⍝→ 0 0 1 0 0 1 0 0
⍝ what it gives may be used as any array
⎕ ← ↑{¯6↑⍕⍵}¨1 22 333
⍝→      1
⍝→     22
⍝→    333
⎕ ← +/'0123456789'⍳⍕12345
⍝→ 20
⎕ ← '(',(1↓,',',⍪⍕n),')'
⍝→ (3)
⎕ ← ('n = ',⍕n),', n*2 = ',⍕n*2
⍝→ n = 3, n*2 = 9
⍝ Nested items stand side by side, with a blank on either side of what is not a scalar.
k ← ⎕ArgInt 'k' 3
'|',(⍕'total' k 6),'|'
⍝→ | total  3 6|
'|',(⍕(⍳k)'ab'),'|'
⍝→ | 1 2 3  ab |
⍕'a' 'b' 1 'c'
⍝→ ab 1 c
⍕1 (2 3) 4
⍝→ 1  2 3  4
'|',(⍕⊂⍳k),'|'
⍝→ | 1 2 3 |
'|',⍕'m' (2 k⍴⍳6) 'xy'
⍝→ |m  1 2 3  xy
⍝→ |   4 5 6
⍴⍕'m' (2 k⍴⍳6) 'xy'
⍝→ 2 13
⍝ Those of a matrix stand in columns: text at the left, numbers at the right, a blank on either side of a
⍝ column in which not all are scalars; a row is as high as its highest item.
'|',(⍕2 2⍴'one' 1 'three' (10×k)),'|'
⍝→ | one     1|
⍝→ | three  30|
'|',(⍕2 2⍴(⍳k)'abc'(2 2⍴⍳4)5),'|'
⍝→ | 1 2 3  abc |
⍝→ |   1 2    5 |
⍝→ |   3 4      |
'|',(⍕2 3⍴'a' 1 2.5 'b' 22 3),'|'
⍝→ |a  1 2.5|
⍝→ |b 22   3|
⍴⍕0 2⍴⊂1 2
⍝→ 0 2
