⍝ ⊥ with few digits and a radix that only run time knows, by Horner's rule.
n ← ⎕ArgInt 'n' 2
x ← 0.5×¯3+⍳6
{⍵⊥3 ¯1 2 5}¨x
⍝→ ¯1 3.375 5 6.125 9 15.875
⎕ ← (n×1 2 3)⊥¨⊂1 0 ¯2 n
⍝→ 6 58 206
n⊥1 0 1 1
⍝→ 11
n⊥1 2=1 2
⍝→ 3
(n=2)⊥1 0 1 1
⍝→ 3
(n÷4)⊥1 2 3
⍝→ 4.25
(,n)⊥5 n
⍝→ 12
n⊥n n n
⍝→ 14
0 1⊥¨⊂n,3
⍝→ 3 5
(n-2)⊥7 8 9
⍝→ 9
⍝ integers wrap, as powers do: 10*20 is 7766279631452241920
(5×n)⊥1,20⍴0
⍝→ 7766279631452241920
⍝ reals begin at the greatest power: (3×∞)-1, where a sum of powers would be ∞-∞
(1÷n-2)⊥3 ¯1
⍝→ ∞
{⍵⊥1 0J1}¨n 0J1
⍝→ 2J1 0J2
⍝ more digits than are written out, and digits whose number only run time knows
n⊥33⍴1
⍝→ 8589934591
n⊥32⍴1
⍝→ 4294967295
n⊥(n+8)⍴1 0
⍝→ 682
n⊥1↑n
⍝→ 2
