⍝ Lengths that are equal in nearly all steps, and that nobody can prove to be: a loop for the case that nothing is extended,
⍝ beside one for single items.
n←⎕ArgInt 'n' 100
k←⎕ArgInt 'k' 3
one←⎕ArgInt 'one' 1
sums←{
  (b w)←⍵
  w≥≢b: b
  ∇ (b+(w⍴0),(-w)↓b) (w×2)
}
x←1+7|⍳n
s←sums x 1
⎕←∧/s=+\x
⍝→ 1
⎕←s[1 2 10 100]
⍝→ 2 5 37 397
⍝ A wave that goes k places a step: after four steps what 3 + 1 places do together is binomial.
step←{⍵+(k⍴0),(-k)↓⍵}
⎕←20↑(step⍣4) n↑1
⍝→ 1 0 0 4 0 0 6 0 0 4 0 0 1 0 0 0 0 0 0 0
⍝ One item meets k, and then k meet k.
⎕←(step⍣1) one⍴5
⍝→ 5 5 5
⎕←(step⍣2) one⍴5
⍝→ 5 5 5
⍝ Rows alike: each is as long as the matrix has columns.
rows←{⍵+((≢⍵),k)⍴2,(≢⍵)⍴3}
m←(4,k)⍴⍳4×k
⎕←(rows⍣2) m
⍝→  5  8  9
⍝→ 10 11 10
⍝→ 13 14 15
⍝→ 16 15 18
⍝ What is as long only by chance, and what is not.
turn←{(1⌽⍵)+(k⍴1),(-k)↓⍵}
⎕←(turn⍣2) 3↓⍳n⌊9
⍝→ 8 9 13 20 17 14
⎕←(turn⍣2) k↑⍳2
⍝→ 2 3 4
⎕←(turn⍣2) ⍳2×one
⍝✗ lengths_step.apl:35:12:
⍝✗ LENGTH ERROR: 2 and 3
