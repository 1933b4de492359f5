⍝ Inner products of matrices of many shapes, with whole strips of columns and blocks of rows or not, by several
⍝ pairs of functions. Of each, the sum of its elements times those on the other side. (Tiles: tests/versions.sh.)
⍝ backends: interp c
⍝ also: opencl TAILOR_KERNELS=cpu
ms←0 5 1 15 17 66 100 65
ks←5 0 1 16 3 33 17 16
ns←4 4 1 17 65 64 65 130
v←17|+\9000⍴7 5 3 11
sum←{+/,⍵×⌽⍵}
step←{
  m←ms[⍵] ⋄ k←ks[⍵] ⋄ n←ns[⍵]
  a←¯8+m k⍴v
  b←¯9+k n⍴3↓v
  x←a+0.5 ⋄ y←b×0.25
  i←sum a+.×b
  ⎕←i,(sum x+.×y),(sum 99⌊x⌊.+y),(sum (a>3)∨.∧b>2),(sum (a>3)+.∧b>2),(sum (⍉b)+.×⍉a),sum a-.×b
  ⍵+1
}
z←(step⍣8)1
⍝→ 0 0 0 0 0 0 0
⍝→ 0 0 196020 0 0 0 0
⍝→ 0 0 0.25 0 0 0 0
⍝→ ¯269987 ¯16557.6875 15243.4375 128 483 ¯85820 495509
⍝→ 325058 20179.03125 34445.25 66 82 ¯156254 160250
⍝→ 8896206 628377.1875 290177.625 4184 36424 7478618 5921106
⍝→ 12785950 804854.6875 406087.5 4425 14625 ¯40151100 10629350
⍝→ ¯2692858 ¯141168.5312 542965.5 6100 16028 3490823 ¯14067450
