⍝ Whether sums of squares are below a constant: 0, infinities and what is no number among them.
⍝ args: --n=9
n ← ⎕ArgInt 'n' 9
x ← ¯2 ¯1.9999999999999998 ¯1 0 0.5 1 1.9999999999999998 2 1E200
y ← n⍴0 1E¯170
⎕ ← 4>(x×x)+y×y
⎕ ← 0.25>(x×x)+y×y
⎕ ← ((x×x)+y×y)<2.25
z ← (x×1E155)×1E155
⎕ ← 4>(z×z)+y×y
⎕ ← 4>((z-z)×z-z)+y×y
⎕ ← 4≥(x×x)+y×y
⍝→ 0 1 1 1 1 1 1 0 0
⍝→ 0 0 0 1 0 0 0 0 0
⍝→ 0 0 1 1 1 1 0 0 0
⍝→ 0 0 0 1 0 0 0 0 0
⍝→ 0 0 0 1 0 0 0 0 0
⍝→ 1 1 1 1 1 1 1 1 0
