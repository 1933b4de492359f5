⍝ Elements of rows are written: at known and computed positions, several, a run of them, in loops. (A model in Python agrees.)
n ← ⎕ArgInt 'n' 25
m ← ⎕ArgInt 'm' 30
w ← (n m)⍴1+m|(7×⍳n×m)+⌊(⍳n×m)÷11
weigh ← {+/,(⍳m)×⍤1⊢⍵}
⎕ ← +/({r←⍵ ⋄ r[1]←0 ⋄ +/+\r}⍤1) w
⍝→ 166721
⍝ Of what was, and of what is.
⎕ ← weigh ({r←⍵ ⋄ r[2⌊m]←50 ⋄ r-⌽⍵}⍤1) w
⍝→ 423
⎕ ← weigh ({r←⍵ ⋄ p←r⍳⌈/r ⋄ r[p]←1000 ⋄ r[r⍳⌊/r]←7+⊃r ⋄ +\r}⍤1) w
⍝→ 12382525
⍝ A run; and positions by what a scan made.
⎕ ← weigh ({r←+\⍵ ⋄ r[2+⍳3]←3↑⍵ ⋄ r}⍤1) w
⍝→ 3604390
⍝ A loop: half of the greatest of each, turned round.
⎕ ← weigh (({p←⍵⍳⌈/⍵ ⋄ r←⍵ ⋄ r[p]←⌊⍵[p]÷2 ⋄ ⌽r}⍣5)⍤1) w
⍝→ 149146
⍝ The k greatest: each is taken out.
⎕ ← ({r←⍵ ⋄ (s r)←({(s r)←⍵ ⋄ p←r⍳⌈/r ⋄ g←r[p] ⋄ r[p]←0 ⋄ (s+g) r}⍣4) 0 r ⋄ s}⍤1) w[⍳5;]
⍝→ 113 114 110 114 113
