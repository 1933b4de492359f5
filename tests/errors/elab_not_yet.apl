⍝ What APL has and tailor does not yet: the message names it.
v←3 1 2
2⍋v
⍕v
⍎'1'
↓(2↑⎕ArgInt 'n' 3)⍴1
(2 2⍴⊂1 2)+.×2 2⍴⊂1 2
2⍋v
2 2⌽(1 2)(3 4)
(0@(⊂1 2 3))2 2⍴v
3?1.5
⎕
⎕UCS 2.5
{⍵≤1:1 ⋄ ⍵×∇⍵-1}5
⍋(1J1 2)(1J2 3)
