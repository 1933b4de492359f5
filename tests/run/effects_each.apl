⍝ A function with effects that ¨ or ⍤ applies prints, draws and makes text for one item after the other.
n ← ⎕ArgInt 'n' 3
{⎕←⍵ ⋄ ⍵+1}¨⍳n
⍝→ 1
⍝→ 2
⍝→ 3
⍝→ 2 3 4
{⎕←⍵ ⋄ -⍵}¨2 2⍴4 3 2 1
⍝→ 4
⍝→ 3
⍝→ 2
⍝→ 1
⍝→ ¯4 ¯3
⍝→ ¯2 ¯1
(⍳n){⎕←⍺ ⋄ ⍺×0J1}¨n
⍝→ 1
⍝→ 2
⍝→ 3
⍝→ 0J1 0J2 0J3
{+/{⎕←⍵}¨⍳⍵}¨⍳2
⍝→ 1
⍝→ 1
⍝→ 2
⍝→ 1 3
{⎕←⍵ ⋄ ⍵ ⍵}¨'ab'
⍝→ a
⍝→ b
⍝→ aa
⍝→ bb
{⎕←'never' ⋄ ⍵}¨⍳n-3
⍝→
({⎕←⍵ ⋄ ⌽⍵}⍤1)n 2⍴⍳6
⍝→ 1 2
⍝→ 3 4
⍝→ 5 6
⍝→ 2 1
⍝→ 4 3
⍝→ 6 5
{⎕←⍺ ⋄ ≢⍵}⌸3 1 n
⍝→ 3
⍝→ 1
⍝→ 2 1
⍝ Every digit has a length of its own; each throw is a draw of its own.
+/{≢⍕⍵}¨⍳12
⍝→ 15
⎕RL ← 5
a ← ?6⍴6
⎕RL ← 5
a≡{?⍵}¨6⍴2×n
⍝→ 1
∧/({⍵[?≢⍵]}⍤1)(n n⍴⍳9)∊⍳9
⍝→ 1
