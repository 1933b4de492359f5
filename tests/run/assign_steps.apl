⍝ Items assigned at positions that go up by equal steps which only run time knows: of equal positions the last counts.
z ← ⎕ArgInt 'z' 0
a ← z+12⍴0
set ← {(s f k) ← ⍵ ⋄ b ← a ⋄ b[f+s×(⍳k)-1] ← 10×⍳k ⋄ b}
⎕ ← set (z+3) 1 4
⍝→ 10 0 0 20 0 0 30 0 0 40 0 0
⎕ ← set (z-2) 11 5
⍝→ 0 0 50 0 40 0 30 0 20 0 10 0
⎕ ← set (z+1) 3 4
⍝→ 0 0 10 20 30 40 0 0 0 0 0 0
⎕ ← set (z+0) 5 4
⍝→ 0 0 0 0 40 0 0 0 0 0 0 0
⎕ ← set (z+7) 99 0
⍝→ 0 0 0 0 0 0 0 0 0 0 0 0
⎕ ← set (z+4611686018427387904) 12 1
⍝→ 0 0 0 0 0 0 0 0 0 0 0 10
⍝ Four times 2*62 is 0 as an integer; so is 2*32 times 2*32
big ← z+4611686018427387904
b ← a ⋄ b[2+big×4×⍳3] ← 1 2 3
⎕ ← b
⍝→ 0 3 0 0 0 0 0 0 0 0 0 0
half ← z+4294967296
b ← a ⋄ b[9+half×half×⍳5] ← ⍳5
⎕ ← b
⍝→ 0 0 0 0 0 0 0 0 5 0 0 0
⍝ Twice each, by a step from above and one of 0 from within
s ← z+2
b ← a ⋄ b[1+s×(z+0)×⍳3] ← 7 8 9
⎕ ← b
⍝→ 9 0 0 0 0 0 0 0 0 0 0 0
⍝ Diagonals of a matrix in its list, one after the other in one state; the upper triangle has k on the k-th place of each
n ← z+5
tri ← {(m i) ← ⍵ ⋄ k ← ⍳1+n-i ⋄ m[i+(n+1)×k-1] ← k ⋄ m (i+1)}
⎕ ← n n⍴⊃(tri⍣n)((n×n)⍴0) 1
⍝→ 1 1 1 1 1
⍝→ 0 2 2 2 2
⍝→ 0 0 3 3 3
⍝→ 0 0 0 4 4
⍝→ 0 0 0 0 5
⍝ Parts of them, backwards, and complex numbers; an order plus a number
i ← 1+s×1↓⍳5
b ← a ⋄ b[i] ← 1 2 3 4
⎕ ← b
⍝→ 0 0 0 0 1 0 2 0 3 0 4 0
b ← a ⋄ b[⌽i] ← 1 2 3 4
⎕ ← b
⍝→ 0 0 0 0 4 0 3 0 2 0 1 0
c ← (z+6)⍴0J0
c[s×⍳3] ← 1J1 2J2 3J3
⎕ ← c
⍝→ 0 1J1 0 2J2 0 3J3
b ← a ⋄ b[s+⍋z+3 1 2] ← 1 2 3
⎕ ← b
⍝→ 0 0 3 1 2 0 0 0 0 0 0 0
⍝ Each row of a matrix at steps of its own
⎕ ← {b ← a ⋄ b[1+(z+⍵)×(⍳3)-1] ← ⍳3 ⋄ b}⍤0⊢0 2 5
⍝→ 3 0 0 0 0 0 0 0 0 0 0 0
⍝→ 1 0 2 0 3 0 0 0 0 0 0 0
⍝→ 1 0 0 0 0 2 0 0 0 0 3 0
