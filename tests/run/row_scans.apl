⍝ Scans of rows and what is made of them: reduced, beside sums, differences of rows beside each other, of other widths, two scans
⍝ in each other, reals, in loops, through views of the whole; for work-groups, and rows too short and too long for these.
f←{w←⍵ ⋄ (⌈/{⌈/⍵-+\⍵}⍤1⊢w),(+/{⌈/(1↓x)-2×¯1↓x←⌊\⍵}⍤1⊢w),(+/{⌈/((+\⍵)×1+⍵)-+/⍵}⍤1⊢w),⌊/⌊/⌊\⌽+\w}
g←{⌈/{+/|(+\⍵)÷1+⌈/⍵}⍤1⊢⍵}
h←{x←⍵ ⋄ +/,{97|(1⊖⍵)+{⍵+⌈/⍵-+\⍵}⍤1⊢⍵}⍣3⊢x}
p←{x←⍵ ⋄ +/,{97|(1⊖⍵)+(+\⍵)-⍉(⌽⍴⍵)⍴+/⍵}⍣3⊢x}
v←{w←+\⍵ ⋄ (⌈/⌈/0 1↓w),(+/⌊/0 ¯2↓w),(⌈/+/(⌽w)×⍵),(+/⌈/w,0),(+/⌈/w,⌈\⍵),(⌈/⌈/(0 1↓w)-0 ¯1↓⌈\⍵),+/⌈/1⌽w}
m←6 100⍴¯3+11|7×⍳600
f m
⍝→ 1 18 8105 ¯1
g m
⍝→ 1312.625
(h m),p m
⍝→ 10929 28748
m←3 70⍴¯3+11|5×⍳210
v m
⍝→ 148 0 11277 421 421 141 421
f m
⍝→ 2 9 2644 ¯2
(h m),p m
⍝→ 5957 9814
m←5 9⍴¯3+11|7×⍳45
v m
⍝→ 24 8 405 93 93 17 93
f m
⍝→ 2 14 505 ¯2
m←2 5000⍴¯3+11|7×⍳10000
v m
⍝→ 10007 4 50095041 20002 20002 10000 20002
f m
⍝→ 0 6 139830 0
(h m),p m
⍝→ 336556 511037
z←⎕ArgInt 'z' 0
m←(4,z)⍴0
f m
⍝→ ¯9223372036854775808 0 0 9223372036854775807
