⍝ ⌷ stores: on the host what is computed is in memory from there on; what takes its rows is made with it. In functions it is
⍝ what it is given.
n ← ⎕ArgInt 'n' 6
v ← ⌷2×⍳n
⎕ ← (+/v),+/v×⌽v
⍝→ 42 224
m ← ⌷⍉(n⍴2)∘.×⍳n
⎕ ← +/m+⊖m
⍝→ 84 84 84 84 84 84
w ← ⌷(2⌽v)-v
⎕ ← w+⌽w
⍝→ ¯4 ¯4 8 8 ¯4 ¯4
z ← ⌷v
z[3] ← 100
⎕ ← v,z
⍝→ 2 4 6 8 10 12 2 4 100 8 10 12
⎕ ← {+/⌷⌽⍳⍵}¨⍳3
⍝→ 1 3 6
f ← {u←⌷⍵×2 ⋄ u-⌽u}
⎕ ← (f⍣2)⍳3
⍝→ ¯16 0 16
x ← ⌷0⍴v
⎕ ← (+/x),≢⌷x
⍝→ 0 0
⎕ ← ⌷5
⍝→ 5
⎕ ← ⌷2 3⍴1J1
⍝→ 1J1 1J1 1J1
⍝→ 1J1 1J1 1J1
unused ← ⌷⍳n
