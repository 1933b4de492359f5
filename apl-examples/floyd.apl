⍝ All shortest paths of a graph, by Floyd and Warshall: on a ring the longest is half way round.
⍝ test: --n=20
⍝ gives: 10 2000

n ← ⎕ArgInt 'n' 300

far  ← n×n
gap  ← |(⍳n)∘.-⍳n
ring ← (gap=1)∨gap=n-1
d    ← far×(~ring)∧gap≠0
d    ← d+ring

via ← {
    (d k) ← ⍵
    (d⌊d[;k]∘.+d[k;]) (k+1)
}
(paths k) ← (via⍣n) d 1
⎕ ← (⌈/,paths),+/,paths
