⍝ Sums over what rotations of rows and columns bring together, of matrices of one row, one column and more, of known and
⍝ unknown extents: places go round once at most. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
n ← ⎕ArgInt 'n' 67
across ← {((1⊖1⌽⍵)+(2×1⌽⍵)+¯1⊖1⌽⍵)-(1⊖¯1⌽⍵)+(2×¯1⌽⍵)+¯1⊖¯1⌽⍵}
down ← {((1⊖1⌽⍵)+(2×1⊖⍵)+1⊖¯1⌽⍵)-(¯1⊖1⌽⍵)+(2×¯1⊖⍵)+¯1⊖¯1⌽⍵}
edges ← {a ← ⍵⍴11|i×i←⍳×/⍵ ⋄ (+/,⍵[1]⌊|across a),+/,(⍳×/⍵)×,|down a}
⎕ ← edges 1 1
⍝→ 0 0
⎕ ← (edges 1 7)(edges 7 1)(edges 2 3)(edges 5 64)
⍝→ 7 0
⍝→ 0 320
⍝→ 12 0
⍝→ 1127 511688
⎕ ← (edges 1,n-66)(edges (n-64),1)(edges (n-65),3)(edges (n-62),n)(edges n,n-64)
⍝→ 0 0
⍝→ 0 120
⍝→ 12 0
⍝→ 1472 675456
⍝→ 964 175036
far ← {a ← ⍵⍴11|i×i←⍳×/⍵ ⋄ +/,(⍵⍴⍳×/⍵)×(3⌽¯2⊖a)×¯5⊖2⌽a}
⎕ ← (far 1 7)(far 7 1)(far (n-65),3)(far (n-62),n)
⍝→ 463 473 391 1022801
