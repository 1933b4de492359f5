⍝ run: emit --to=tail
⍝ -/ and ÷/ are plain reductions in TAIL: what runs in parallel is found where it becomes core.
n ← ⎕ArgInt 'n' 5
-/⍳n
÷/⍳n
-\⍳n
