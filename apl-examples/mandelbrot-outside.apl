⍝ The Mandelbrot set with the loop outside the array operations: all points step together.
⍝ Prints the sum, over all points, of the steps that each takes to leave the circle of radius 2.
⍝ test: --n=24 --steps=30
⍝ gives: 5143

n     ← ⎕ArgInt 'n' 1000      ⍝ n by n points of the square from ¯2-1.5i to 1+1.5i
steps ← ⎕ArgInt 'steps' 255

cr ← (n n)⍴¯2+3×(¯1+⍳n)÷n
ci ← ⍉(n n)⍴¯1.5+3×(¯1+⍳n)÷n

⍝ z←c+z×z in real and imaginary parts; a point that has left counts no more.
step ← {
    (zr zi count) ← ⍵
    r ← zr×zr
    i ← zi×zi
    (cr+r-i) (ci+2×zr×zi) (count+4>r+i)
}

zero ← (n n)⍴0.0
(zr zi count) ← (step⍣steps) zero zero ((n n)⍴0)
⎕ ← +/,count
