⍝ A place that is none is an error, of two histograms that are one, too.
n ← ⎕ArgInt 'n' 50
k ← 1+11|⍳n
k[20] ← 12
sums ← 11⍴0 ⋄ counts ← 11⍴0
sums[k] +← ⍳n ⋄ counts[k] +← 1
⎕ ← sums÷counts
⍝✗ histograms_error.apl:6:1: INDEX ERROR: 12 of 11
