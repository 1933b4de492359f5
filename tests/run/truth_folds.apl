⍝ Comparisons of numbers along vectors, folded from the right: a truth of the last two items, then functions of truths;
⍝ beside folds of each prefix item by item.
fold ← {f ← ⍺⍺ ⋄ v ← ⍵ ⋄ n ← ≢v ⋄ ⊃({(r k) ← ⍵ ⋄ (v[k]f r)(k-1)}⍣(n-1))(v[n])(n-1)}
agree ← {f ← ⍺⍺ ⋄ v ← ⍵ ⋄ (∧/(f\v)={(f fold)⍵↑v}¨⍳≢v)∧(f/v)=(f fold)v}
n ← 50+⎕ArgInt 'n' 0
i ← 3|7×⍳n
b ← 2|⌊(⍳n)×1.7
r ← 0.5×2⌊i
⎕ ← (≠agree i) (=agree i) (<agree i) (≤agree i) (>agree i) (≥agree i)
⍝→ 1 1 1 1 1 1
⎕ ← (≠agree b) (=agree b) (<agree b) (≤agree b) (>agree b) (≥agree b)
⍝→ 1 1 1 1 1 1
⎕ ← (≠agree r) (<agree r) ({⍺≥⍵×2}agree r) ({(⍺=1)∨⍵=0}agree i)
⍝→ 1 1 1 1
⎕ ← (≠\5 1 0 2 3),(</7 9),(</7 2 9),≤/,4
⍝→ 5 1 1 1 1 1 0 4
⎕ ← +/≠\20000⍴0 1 1          ⍝ 20,000 prefixes
⍝→ 6667
m ← (3 n)⍴i
⎕ ← (≠\m)≡↑{≠\⍵}¨m[1;] m[2;] m[3;]
⍝→ 1
⎕ ← (</m)≡(</m[1;]),(</m[2;]),</m[3;]
⍝→ 1
