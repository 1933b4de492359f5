⍝ Scans of columns, alone and with what takes their rows, turned round and in loops, of fewer columns than a strip has, and of
⍝ more: each row is the one before it and the row of the matrix.
r ← ⎕ArgInt 'r' 50
check ← {
  c ← ⍵
  m ← r c⍴({⍵+1}⍣2)7|⍳r×c
  s ← +⍀m
  h ← 3×+⍀m
  t ← 1⌽+⍀m
  u ← m×+⍀m
  g ← ⌈⍀m
  x ← +⍀2×1⌽m
  y ← ({1009|0.5×+⍀⍵}⍣3)m
  ok ← (∧/,m=s-0⍪¯1 0↓s),(∧/,h=3×s),(∧/,t=1⌽s),(∧/,u=m×s),(∧/,g=m⌈0⍪¯1 0↓g),∧/,x=2×1⌽s
  ok,(⌊+/,y),+/+/s
}
⎕ ← check 1
⍝→ 1 1 1 1 1 1 19338 6324
⎕ ← check 4
⍝→ 1 1 1 1 1 1 79843 25449
⎕ ← check 5
⍝→ 1 1 1 1 1 1 100575 31826
⎕ ← check 63
⍝→ 1 1 1 1 1 1 1250292 401625
⎕ ← check 64
⍝→ 1 1 1 1 1 1 1301414 407949
⎕ ← check 65
⍝→ 1 1 1 1 1 1 1318263 414323
⎕ ← check 130
⍝→ 1 1 1 1 1 1 2634913 828699
⎕ ← check 0
⍝→ 1 1 1 1 1 1 0 0
