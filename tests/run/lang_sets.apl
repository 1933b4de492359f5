⍝ Sets of vectors: what remains keeps its order, and its number is known at run time.
n←⎕ArgInt 'n' 5
∪3 1 4 1 n
⍝→ 3 1 4 5
∪n
⍝→ 5
⍴∪n⍴7
⍝→ 1
∪''
⍝→
∪'mississippi'
⍝→ misp
3 1 4 1 5∪1 n 9
⍝→ 3 1 4 1 5 9
1 2 3∩2 3 3
⍝→ 2 3
(⍳n)~2 4
⍝→ 1 3 5
'hello world'~'lo'
⍝→ he wrd
0.5 2~2
⍝→ 0.5
⍴1 2~1 2
⍝→ 0
