⍝ f⎕ASSOC n reduces and scans in parallel, over scalars and over tuples of scalars (a tuple of arrays).
join ← {                                  ⍝ (sum, best prefix, best suffix, best segment)
  (ts tp tf tb) ← ⍺ ⋄ (us up uf ub) ← ⍵
  (ts+us)(tp⌈ts+up)(uf⌈us+tf)(tb⌈ub⌈tf+up)
}
v ← 31 ¯41 59 26 ¯53 58 97 ¯93 ¯23 84
p ← 0⌈v
(join ⎕ASSOC 0 0 0 0)/v p p p
⍝→ 145 177 155 187
(join ⎕ASSOC 0 0 0 0)\v p p p
⍝→ 31 ¯10 49 75 22 80 177 84 61 145
⍝→ 31 31 49 75 75 80 177 177 177 177
⍝→ 31 0 59 85 32 90 187 94 71 155
⍝→ 31 31 59 85 85 90 187 187 187 187
⍝ The components may have types of their own; what f gives widens them.
greater ← {(v i)←⍺ ⋄ (w j)←⍵ ⋄ v≥w: v i ⋄ w j}
(greater ⎕ASSOC ¯1E300 0)/v (⍳10)
⍝→ 97 7
({(v c)←⍺ ⋄ (w d)←⍵ ⋄ v≥w: v c ⋄ w d} ⎕ASSOC 0 ' ')/(3 1 4 1 5)'apple'
⍝→ 5
⍝→ e
({(a b)←⍺ ⋄ (c d)←⍵ ⋄ (a+c)(b⌈d⌈0.5)} ⎕ASSOC 0 0)/(0 1 1)(0 0 0)
⍝→ 2 0.5
⍝ Along an axis of matrices.
m ← 3 4⍴3 1 4 1 5 9 2 6 5 3 5 8
k ← 3 4⍴⍳12
(greater ⎕ASSOC ¯999 0)/m k
⍝→ 4 9 8
⍝→ 3 6 12
(greater ⎕ASSOC ¯999 0)⌿m k
⍝→ 5 9 5 8
⍝→ 5 6 11 12
(greater ⎕ASSOC ¯999 0)/[1]m k
⍝→ 5 9 5 8
⍝→ 5 6 11 12
(greater ⎕ASSOC ¯999 0)⍀m k
⍝→ 3 1 4 1
⍝→ 5 9 4 6
⍝→ 5 9 5 8
⍝→ 1 2  3  4
⍝→ 5 6  3  8
⍝→ 5 6 11 12
(greater ⎕ASSOC ¯999 0)\m k
⍝→ 3 3 4 4
⍝→ 5 9 9 9
⍝→ 5 5 5 8
⍝→ 1 1 3  3
⍝→ 5 6 6  6
⍝→ 9 9 9 12
⍝ Not commutative: products of matrices (Fibonacci numbers), of complex numbers as pairs.
product ← {(a b c d)←⍺ ⋄ (e f g h)←⍵ ⋄ ((a×e)+b×g)((a×f)+b×h)((c×e)+d×g)((c×f)+d×h)}
n ← ⎕ArgInt 'n' 30
(product ⎕ASSOC 1 0 0 1)/(n⍴1)(n⍴1)(n⍴1)(n⍴0)
⍝→ 1346269 832040 832040 514229
({(a b)←⍺ ⋄ (c d)←⍵ ⋄ ((a×c)-b×d)((a×d)+b×c)} ⎕ASSOC 1 0)\(1 2 3)(0 1 ¯1)
⍝→ 1 2 7
⍝→ 0 1 1
⍝ Scalars; a reduction of nothing gives the identity element.
({7|⍺×⍵} ⎕ASSOC 1)/⍳n-24
⍝→ 6
({7|⍺×⍵} ⎕ASSOC 1)\⍳n-24
⍝→ 1 2 6 3 1 6
({7|⍺×⍵} ⎕ASSOC 1)⌿2 3⍴⍳6
⍝→ 4 3 4
({7|⍺×⍵} ⎕ASSOC 1)/⍳n-30
⍝→ 1
({⍺+⍵} ⎕ASSOC 5)/⍬
⍝→ 5
(greater ⎕ASSOC ¯999 0)/(⍳n-30)(⍳0)
⍝→ ¯999 0
(greater ⎕ASSOC ¯999 0)/(2 0⍴0)(2 0⍴0)
⍝→ ¯999 ¯999
⍝→ 0 0
⍝ It is f elsewhere, and may be the operand of other operators.
3(+ ⎕ASSOC 0)4
⍝→ 7
1 2 3({⍺+⍵} ⎕ASSOC 0).×4 5 6
⍝→ 32
2({⍺+⍵} ⎕ASSOC 0)/4 5 6
⍝→ 9 11
⍝ Many items: every work-item takes a share, the shares are joined in order.
n ← 100000
w ← ¯500+1000|7919×⍳n
q ← 0⌈w
(join ⎕ASSOC 0 0 0 0)/w q q q
⍝→ ¯50000 1644 780 2924
