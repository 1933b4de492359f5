⍝ ∪ ∩ ~ and ⍋ ⍒ of nested items: which agree is known of what is written; orders also of what only run time knows.
n ← ⎕ArgInt 'n' 2
t ← 'to' 'be' 'or' 'not' 'to' 'be'
∪t
⍝→ to
⍝→ be
⍝→ or
⍝→ not
≢∪'a text of more than sixteen characters' 'short' 'a text of more than sixteen characters'
⍝→ 2
(∪(1 2)(1.0 2)(1 2.5))≡(1 2)(1 2.5)
⍝→ 1
t∩'or' 'be'
⍝→ be
⍝→ or
⍝→ be
t~'to' 'be'
⍝→ or
⍝→ not
≢t~t
⍝→ 0
(2↑t)∪'be' 'is'
⍝→ to
⍝→ be
⍝→ is
1 2 3~(1 2) 3
⍝→ 1 2
⍝ different extents are never equal, nor are numbers and characters, nor depths
≢∪(⍳n)'ab'(n n⍴1)(1 (2 3))((1 2) 3)
⍝→ 5
t⍳'not' 'is'
⍝→ 4 7
t[t⍳⊂'or']
⍝→ or
⍋t
⍝→ 2 6 4 3 1 5
⍒t
⍝→ 1 5 3 4 2 6
t[⍋t]
⍝→ be
⍝→ be
⍝→ not
⍝→ or
⍝→ to
⍝→ to
⍋'app' 'apple' 'ap' 'b'
⍝→ 3 1 2 4
⍋(3 1)(2 5 7)(2 5) 2 (2 ¯5)
⍝→ 4 5 3 2 1
⍝ the same at run time, by rows of the items with marks
⍋(n+1 ¯1)(n 5 7)(n 5) n (n ¯5)
⍝→ 4 5 3 2 1
⍒(n+1 ¯1)(n 5 7)(n 5) n (n ¯5)
⍝→ 1 2 3 5 4
⍋(n↑'app')((n+3)↑'apple')(n↑'b')(n↑'ap')
⍝→ 1 4 2 3
w ← (n÷4) (n÷4 8) (¯1÷n)
(↑w)[⍋w;]
⍝→ ¯0.5 0
⍝→  0.5 0
⍝→  0.5 0.25
⍝ Deeper items are compared item by item; numbers come before characters.
⍋((1 2)3)((1 1)4)
⍝→ 2 1
⍋('b' 1)('ab' 2)('a' 3)
⍝→ 3 2 1
⍋1 (2 3) 'a' (1 1)
⍝→ 1 4 2 3
⍒((n 2)3)((1 n)4)((1 n)5)
⍝→ 1 3 2
⍋(n 'b')(1 'z')(n 'a')
⍝→ 2 3 1
⍋(2 2⍴n 1)(2 2⍴n 0)
⍝→ 2 1
⍝ Keys that are written in the program, and a function that gives nested items, or lists of different lengths.
word ← 'mississippi'
⍕{⍺(≢⍵)}⌸word
⍝→ m 1
⍝→ i 4
⍝→ s 4
⍝→ p 2
≢¨{⊂⍵}⌸word
⍝→ 1 4 4 2
'aba'{⍺ ⍵}⌸10 20 30
⍝→ a
⍝→ 10 30
⍝→ b
⍝→ 20
{⍺,⍵}⌸3 1 3
⍝→ 3 1 3
⍝→ 1 2 0
1.5 2 1.5{⍵}⌸3 2⍴⍳6
⍝→ 1 2
⍝→ 5 6
⍝→
⍝→ 3 4
⍝→ 0 0
⍝ Lists of nested items for every cell.
⍕({⍺ ⍵}⌺3)⍳3
⍝→   1  0 1 2
⍝→   0  1 2 3
⍝→  ¯1  2 3 0
⍴({⍵(2×⍵)}⍤1)2 3⍴⍳6
⍝→ 2 2
