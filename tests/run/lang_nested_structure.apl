⍝ Structure of nested items in any number of axes, fill, searching, ⊂ along axes.
n ← ⎕ArgInt 'n' 2
t ← 'ab' 'cd' 'ef'
∊1⌽t
⍝→ cdefab
∊¯1⊖t
⍝→ efabcd
∊⌽[1]t
⍝→ efcdab
(⍴2↑t)(≢¯1↓t)(≢4↑t)
⍝→ 2
⍝→ 2
⍝→ 4
'<',(∊¯4↑t),'>'
⍝→ <  abcdef>
∊4↑(1 2)(3 n)(5 6)
⍝→ 1 2 3 2 5 6 0 0
'<',(∊1 ¯1 2/t),'>'
⍝→ <ab  efef>
'<',(∊1 0 1 ¯1 1\t),'>'
⍝→ <ab  cd  ef>
∊2/t
⍝→ ababcdcdefef
m ← 2 3⍴'a' 'bc' (1 n) 'd' 5 (6 7 8)
(⍴m)(⍴⍉m)(⍴1 ¯2↑m)(⍴0 1↓m)
⍝→ 2 3
⍝→ 3 2
⍝→ 1 2
⍝→ 2 2
(⍉m)[3;]
⍝→ 1 2
⍝→ 6 7 8
(⊖⌽m)[1;1]
⍝→ 6 7 8
(1⌽m)[2;]
⍝→ 5
⍝→ 6 7 8
⍝→ d
(1↓[2]m)[1;]
⍝→ bc
⍝→ 1 2
m[2 1;3]
⍝→ 6 7 8
⍝→ 1 2
⍴m[;1 3]
⍝→ 2 2
(1 0⌿m)≡m[1;⍳3]
⍝→ 0
(1 0⌿m)≡m[,1;]
⍝→ 1
1 1⍉m
⍝→ a
⍝→ 5
(⍴m,t[1 2])(⍴m⍪t)(⍴m,'x')(⍴t⍪m)(⍴⍪t)(⍴m,[1]m)
⍝→ 2 4
⍝→ 3 3
⍝→ 2 4
⍝→ 3 3
⍝→ 3 1
⍝→ 4 3
(m,t[1 2])[2;4]
⍝→ cd
(m⍪t)[3;2]
⍝→ cd
⍝ ↑: axes that an item lacks come first, and what is short is filled.
↑(2 2⍴⍳4)(5 6 n)
⍝→ 1 2 0
⍝→ 3 4 0
⍝→
⍝→ 5 6 2
⍝→ 0 0 0
u ← ↑((1 2)'ab')((3 n)'c' 9)
⍴u
⍝→ 2 3
u[2;]
⍝→ 3 2
⍝→ c
⍝→ 9
u[1;3]
⍝→ 0 0
⍝ Searching compares whole items.
k ← (1 2)'ab'3(1 n)
k⍳'ab' 3 4(1 2)
⍝→ 2 3 5 1
k⍳⊂1,n
⍝→ 1
(1 3)'ab'⍳⊂1,n+1
⍝→ 1
(1 n 3)∊3 'n' (1 2)
⍝→ 0 0 1
((1 n)'xy')∊3 'xy' (1 2)
⍝→ 1 1
(⊂n↑1 3)∊(1 2)(1 2 3)
⍝→ 0
⍝ ⊂ along axes: as many items as the other axes have positions.
c ← (n,3)⍴⍳6
⊂[1]c
⍝→ 1 4
⍝→ 2 5
⍝→ 3 6
+/¨⊂[2]2 3⍴n×⍳6
⍝→ 12 30
⍴⊂[1 3]n 3 2⍴⍳12
⍝→ 3
2⊃⊂[1 3]n 3 2⍴⍳12
⍝→ 3  4
⍝→ 9 10
2⊃⊂[3 1]n 3 2⍴⍳12
⍝→ 3  9
⍝→ 4 10
⊂[1 2]c
⍝→ 1 2 3
⍝→ 4 5 6
⍝ ⍤ and ⌺ with functions that enclose: as many items as the frame has places.
(⊂⍤1)3 n⍴n×⍳6
⍝→ 2 4
⍝→ 6 8
⍝→ 10 12
≢¨({⊂⍳⍵}⍤0)1 2 3
⍝→ 1 2 3
10 20({⊂⍺,⍵}⍤0 1)2 n⍴⍳4
⍝→ 10 1 2
⍝→ 20 3 4
({⊂⍵}⌺3)n×1 2
⍝→ 0 2 4
⍝→ 2 4 0
⍝ One item goes with every nested item, whatever its rank, also where only run time knows that it is one.
(,1)+(1 2)(3 4)
⍝→ 2 3
⍝→ 4 5
(1 2)(3 4)-1 1⍴n-1
⍝→ 0 1
⍝→ 2 3
(,⊂1 2)×⍳3
⍝→ 1 2
⍝→ 2 4
⍝→ 3 6
((n-1)↑5 6),¨'ab' 'c'≡¨⊂'c'
⍝→ 5 0
⍝→ 5 1
((n⍴2)×1 2)+(1 2)(3 4)
⍝→ 3 4
⍝→ 7 8
2+/↓n⍴1
⍝→
{⍺,⍵}/0 4⍴3
⍝→
