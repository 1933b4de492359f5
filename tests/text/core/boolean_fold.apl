⍝ run: emit --to=core
⍝ A fold of bools from the right is a composition of functions of one bool: pairs of what they give for 0 and 1.
n ← ⎕ArgInt 'n' 5
</1=2|⍳n
{⍺+2×⍵}\⍳n
