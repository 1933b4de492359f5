⍝ How many ways n queens stand on a board of n by n without threatening each other.
⍝ test: --n=5
⍝ gives: 10

n ← ⎕ArgInt 'n' 8

⍝ Boards are rows of columns, one a queen so far. Every round adds each column to each board, and keeps
⍝ those boards whose new queen is on no column and no diagonal of an older one.
add ← {
    (boards k) ← ⍵
    new   ← (n×≢boards)⍴⍳n
    old   ← n⌿boards
    gap   ← |old-⍉(⌽⍴old)⍴new
    reach ← (⍴old)⍴⌽⍳⊃1↓⍴old
    safe  ← ∧/(gap≠0)∧gap≠reach
    (safe⌿old,new) (k+1)
}
first ← (n 1)⍴⍳n
(boards k) ← (add⍣(n-1)) first 1
⎕ ← ≢boards
