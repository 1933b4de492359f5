⍝ The greatest sum of neighbours in a list (none of them may be taken, too), in two ways.
⍝ test: --n=1000
⍝ gives: 1

n ← ⎕ArgInt 'n' 10000000
v ← ¯50+?n⍴99

⍝ By a scan: the sum up to an item, less the least sum before it.
sums    ← +\v
scanned ← ⌈/0,sums-⌊\0,¯1↓sums

⍝ By a reduction: of two neighbouring parts, what both together have. A part has four numbers: its sum, the greatest sum
⍝ of first items, of last items, and of neighbours anywhere. Joining is associative, so it runs in parallel.
join ← {
  (sum first last best) ← ⍺
  (sum2 first2 last2 best2) ← ⍵
  (sum+sum2)(first⌈sum+first2)(last2⌈last+sum2)(best⌈best2⌈last+first2)
}
positive ← 0⌈v
(all ahead behind reduced) ← (join ⎕ASSOC 0 0 0 0)/v positive positive positive

⎕ ← (scanned=reduced)∧all=+/v
