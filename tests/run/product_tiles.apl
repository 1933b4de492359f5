⍝ Inner products that go by tiles: of more rows than share one, with blocks of four left over or not, of more numbers
⍝ than one has, and with last strips that are not whole; turned on either side. Residues by elements have no zeros there.
⍝ backends: interp c
⍝ also: opencl TAILOR_KERNELS=cpu
ms←16 259 20 65
ks←130 3 64 65
ns←64 70 129 100
v←17|+\9000⍴7 5 3 11
sum←{+/,⍵×(⍴⍵)⍴101|⍳×/⍴⍵}
step←{
  m←ms[⍵] ⋄ k←ks[⍵] ⋄ n←ns[⍵]
  a←¯8+m k⍴v ⋄ b←¯9+n k⍴3↓v ⋄ c←¯7+k n⍴5↓v
  x←a+0.5 ⋄ y←b×0.25
  i←(sum a+.×⍉b),(sum a+.×c),sum(⍉c)+.×⍉a
  ⎕←i,(sum x+.×⍉y),(sum x⌊.+⍉y),(sum(a>3)∨.∧⍉b>6),(sum(a>3)+.∧⍉b>2),sum a+.|⍉b
  ⍵+1
}
z←(step⍣4)1
⍝→ ¯170664 7618 ¯239036 ¯866419.625 ¯463452.5 38658 564551 ¯129839
⍝→ 344273 ¯81018 ¯163779 ¯258023 ¯4296827.75 49918 231429 ¯79799
⍝→ 30018 ¯88377 ¯106739 ¯1016684.375 ¯1163326 95304 705872 ¯131706
⍝→ ¯5658757 44185 ¯66703 ¯4059338.25 ¯2866552.25 209929 1770763 ¯746405
