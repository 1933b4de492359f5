⍝ π by quasi Monte Carlo: the share of Sobol points of the unit square that lie in the unit circle.
⍝ test: --n=1000
⍝ gives: 3.144

n ← ⎕ArgInt 'n' 10000000      ⍝ number of points

bits       ← 30
directions ← (2 30)⍴⎕ReadIntVecFile 'apl-examples/data/sobol-directions.txt'
xs         ← directions[1;]
ys         ← directions[2;]

⍝ A coordinate of point number ⍵: the exclusive or of the direction numbers that its bits select.
coordinate ← {(⎕INT64XOR/⍺×1 ⎕INT64AND ⍵ ⎕INT64SHR (⍳bits)-1)÷2*bits}
inside     ← {
    x ← xs coordinate ⍵
    y ← ys coordinate ⍵
    1≥(x×x)+y×y
}

⎕ ← 4×(+/inside¨⍳n)÷n
