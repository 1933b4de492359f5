⍝ An index that may not be there.
v ← ⎕ReadIntVecFile 'v.txt'
i ← ⎕ArgInt 'i' 1
w ← v×2
⎕ ← w[i]
⎕ ← (v÷2)[⌽⍋v]
