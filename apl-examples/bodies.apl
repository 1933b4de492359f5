⍝ Bodies in space that attract each other: however they move, all of them together stay at rest.
⍝ test: --n=20 --steps=10
⍝ gives: 1

n     ← ⎕ArgInt 'n' 2000
steps ← ⎕ArgInt 'steps' 10
dt    ← 0.001

place ← ?n 3⍴0
mass  ← 1+?n⍴0

⍝ How all others pull at one, a little less than they would where they almost meet.
pull ← {
  away ← ⍺-(⍴⍺)⍴⍵
  far  ← 0.0001++/away*2
  (mass÷far*1.5)+.×away
}
step ← {
  (at speed) ← ⍵
  all  ← at
  next ← speed+dt×{all pull ⍵}⍤1⊢at
  (at+dt×next)(next)
}
(at speed) ← (step⍣steps)place(n 3⍴0)

⍝ What one gains in momentum, others lose; and they do move.
⎕ ← (1e¯9>⌈/|mass+.×speed)∧0<+/,speed*2
