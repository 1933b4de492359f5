⍝ A shear wave in a fluid of particles that move along the lines of a lattice and collide (lattice Boltzmann, nine speeds):
⍝ how fast it fades tells the viscosity, which is known from how much of a collision's effect comes at once.
⍝ test: --n=16 --steps=60
⍝ gives: 101

n     ← ⎕ArgInt 'n' 512
steps ← ⎕ArgInt 'steps' 500
rate  ← ⎕ArgDouble 'rate' 1.2

⍝ A step: the particles of each speed tend to what they would be at rest with the others of their place, and go on.
rest ← {(r u v w x y) ← ⍵ ⋄ along ← 3×(u×x)+v×y ⋄ r×w×1+along+(0.5×along×along)-1.5×(u×u)+v×v}
hit  ← {⍺+rate×(rest ⍵)-⍺}
step ← {(c e n w s ne nw sw se) ← ⍵
  r ← c+e+n+w+s+ne+nw+sw+se
  u ← ((e+ne+se)-w+nw+sw)÷r
  v ← ((n+ne+nw)-s+sw+se)÷r
  c  ← c hit r u v (4÷9) 0 0
  e  ← e hit r u v (1÷9) 1 0
  w  ← w hit r u v (1÷9) ¯1 0
  n  ← n hit r u v (1÷9) 0 1
  s  ← s hit r u v (1÷9) 0 ¯1
  ne ← ne hit r u v (1÷36) 1 1
  nw ← nw hit r u v (1÷36) ¯1 1
  sw ← sw hit r u v (1÷36) ¯1 ¯1
  se ← se hit r u v (1÷36) 1 ¯1
  c (¯1⌽e) (¯1⊖n) (1⌽w) (1⊖s) (¯1⊖¯1⌽ne) (¯1⊖1⌽nw) (1⊖1⌽sw) (1⊖¯1⌽se)}

wave  ← ⍉n n⍴0.01×1○(○2÷n)×⍳n
ones  ← n n⍴1.0
of    ← {(w x y) ← ⍵ ⋄ rest ones wave (0×wave) w x y}
begin ← (of(4÷9) 0 0)(of(1÷9) 1 0)(of(1÷9) 0 1)(of(1÷9) ¯1 0)(of(1÷9) 0 ¯1)(of(1÷36) 1 1)(of(1÷36) ¯1 1)(of(1÷36) ¯1 ¯1)(of(1÷36) 1 ¯1)
(c e n4 w s ne nw sw se) ← (step⍣steps) begin
left  ← ⌈/,(e+ne+se)-w+nw+sw

⍝ In per cent of what it should be: a wave of length n fades by viscosity × (2π÷n)*2 a step.
viscosity ← (⍟(⌈/,wave)÷left)÷steps×(○2÷n)*2
⎕ ← ⌊0.5+100×viscosity÷((÷rate)-0.5)÷3
