⍝ k nearest neighbours: points of two clusters are told apart by the clusters of their neighbours.
⍝ test: --n=60 --k=5
⍝ gives: 1

n ← ⎕ArgInt 'n' 1000                       ⍝ points of each cluster
k ← ⎕ArgInt 'k' 7

x ← (?n⍴0),0.6+?n⍴0
y ← (?n⍴0),0.6+?n⍴0
class ← (n⍴0),n⍴1

⍝ For every point the classes of the k that are nearest to it, itself left out.
distance ← {(⍵∘.-⍵)*2}
near ← (distance x)+distance y
vote ← {(k÷2)<+/class[k↑1↓⍋⍵]}
guess ← (vote⍤1)near

⍝ Both squares overlap a little: nine in ten are right.
⎕ ← 0.9<(+/guess=class)÷2×n
