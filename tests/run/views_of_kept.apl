⍝ Loops whose steps go over views of what a filter keeps: turned, cut, filled, next to each other, extended from one element, and
⍝ in branches. How many rows these are is not asked for in each step, or is. (A model in Python agrees.)
⍝ also: opencl TAILOR_COPIED_BYTES=0
n ← ⎕ArgInt 'n' 300
v ← 1000|7919×⍳n
summary ← {(≢⍵) (+/⍵×⍳≢⍵) (+/1↑⍵) (+/¯1↑⍵)}
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×⌽a}⍣7⊢v
⍝→ 71 1207985 629 345
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×(1⌽a)+¯4⌽a}⍣7⊢v
⍝→ 66 1205642 527 738
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×((⊃a)⌽a)+7⌽⌽a}⍣7⊢v
⍝→ 57 633783 51 51
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×(7|⊃a)↓a}⍣7⊢v
⍝→ 55 750981 997 629
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×(1↓a)-¯1↓a}⍣7⊢v
⍝→ 16 70588 834 442
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←(0=5|⍵)/⍵ ⋄ 1009|5+3×a+3×(≢a)↑b}⍣7⊢v
⍝→ 67 1123580 212 629
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←(0=5|⍵)/⍵ ⋄ 1009|5+3×a+3×(-≢a)↑b}⍣7⊢v
⍝→ 82 1537496 345 541
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←(0≠5|⌽⍵)/⍵ ⋄ 1009|5+3×a+b}⍣7⊢v
⍝→ 71 1235640 102 281
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×1↓a,7}⍣7⊢v
⍝→ 73 1281358 501 26
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×(≢a)↑(⌽a),a}⍣7⊢v
⍝→ 71 1207985 629 345
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×a-0,¯1↓a}⍣7⊢v
⍝→ 19 98043 345 442
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×0,¯1↓+\a}⍣7⊢v
⍝→ 65 1139449 5 266
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×⌽+\⌽a}⍣7⊢v
⍝→ 53 701628 969 385
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←⌽a ⋄ 1009|5+3×b[1+(≢b)|a]}⍣7⊢v
⍝→ 121 5166700 700 700
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ 1009|5+3×(+/a×⌽a)+a}⍣7⊢v
⍝→ 58 829791 629 692
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←⌽a ⋄ 1009|5+3×(b>a)/b}⍣7⊢v
⍝→ 0 0 0 0
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ k←⌊(≢a)÷2 ⋄ 1009|5+3×a[2×⍳k]-a[k+1-⍳k]}⍣3⊢v
⍝→ 16 63270 284 700
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ k←⌊(≢a)÷2 ⋄ 1009|5+3×+/(k 2)⍴a}⍣3⊢v
⍝→ 19 97471 604 139
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ b←⌽a ⋄ (≢a)>70: 1009|5+3×a+1⌽b ⋄ a}⍣7⊢v
⍝→ 51 752352 814 814
⎕ ← summary {a←(0≠5|⍵)/⍵ ⋄ r←⍳1000 ⋄ r[1+1000|⌽a]←a ⋄ ⌽(0≠7|r)/r}⍣7⊢v
⍝→ 925 158136654 1000 1
⍝ As many rows as the host knows, of those.
⎕ ← {w←6↑(⍵≥3)/⍵ ⋄ w[1+(≢w)|1⌽3⌽⌽w]}⍣2⊢16|37×⍳152
⍝→ 15 4 9 4 9 4
⍝ Until nothing changes, or as many rows are kept as there were: the device says so.
⎕ ← {(⍵≥(+/⍵)÷2⌈≢⍵)/⍵}⍣≡v
⍝→ 996
⎕ ← summary {((3|⍵)≠3|1⌽⍵)/⌊⍵÷2}⍣{(≢⍺)=≢⍵}1+n|7919×⍳n
⍝→ 300 3341225 60 0
⍝ What one mask keeps of two arrays is equally long: one filter.
masks ← {m←0≠3|⍵ ⋄ (a b)←(m/⍵)(m/⌽⍵) ⋄ k←a>b ⋄ 1009|5+3×(k/a)-k/b}
⎕ ← 2↑summary masks⍣5⊢v
⍝→ 4 3343
⍝ Two filters that split what there is, and a sort by bits of that kind.
⎕ ← summary {p←0=2|⍵ ⋄ 1009|5+3×(p/⍵),(~p)/⍵}⍣7⊢v
⍝→ 300 22658873 53 782
⎕ ← summary {m←⌊(+/⍵)÷1⌈≢⍵ ⋄ ((⍵<m)/⍵),(⍵≥m)/1+⍵}⍣7⊢v
⍝→ 300 28555296 433 707
radix ← {(w k)←⍵ ⋄ b←1=2|⌊w÷k ⋄ (((~b)/w),b/w) (2×k)}
(sorted k) ← (radix⍣10) v 1
⎕ ← k,sorted≡v[⍋v]
⍝→ 1024 1
⍝ Rows of pairs, and a scan of what is kept.
⎕ ← {w←(⍵>1)/⍵ ⋄ ,⍉(2,⌊(≢w)÷2)⍴w-1}⍣2⊢⍳9
⍝→ 4 2 1 6 5 3
⎕ ← summary {w←(⍵>2)/⍵ ⋄ x←(+/w)×+\w ⋄ ⌽1⌽x}v
⍝→ 300 347732462043750 138631150 265043450
⍝ One row, and none.
⎕ ← summary {a←(⍵>2)/⍵ ⋄ 1+a+1⌽⌽a}⍣3⊢1↑v
⍝→ 1 7359 7359 7359
⎕ ← summary {a←(⍵<2)/⍵ ⋄ a-0,¯1↓(⊃a)⌽a}⍣3⊢1↑v
⍝→ 0 0 0 0
