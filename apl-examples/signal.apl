⍝ Signal processing: the relative change of a sampled sine from sample to sample, clamped to ±50.
⍝ test: --n=3000
⍝ gives: 50
⍝ gives: 2.848409328

n ← ⎕ArgInt 'n' 50000000      ⍝ number of samples

difference ← {1↓⍵-¯1⌽⍵}       ⍝ each item less the one before it
clamp      ← {¯50⌈50⌊⍵}
change     ← {clamp 50×(difference 0,⍵)÷0.01+|⍵}

samples ← 1○0.02×⍳n
result  ← change samples

⎕ ← ⌈/result                  ⍝ the greatest change
⎕ ← (+/|result)÷n             ⍝ the mean size of a change
