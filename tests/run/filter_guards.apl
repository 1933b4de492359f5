⍝ Guards between rows as they are and some of them: in loops on devices the filter keeps all instead, so that nothing waits for the
⍝ condition, whatever it asks for, and whichever branch has the filter.
⍝ args: --n=40
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_SCAN=phases
n ← ⎕ArgInt 'n' 20
v ← ⍳n
⍝ How many rows there are: 40 20 10 5 3 2, and these stay.
⎕ ← {3>≢⍵: ⍵ ⋄ (2|⍳≢⍵)/⍵}⍣9⊢v
⍝→ 1 33
⍝ None are left in the fourth step, and nothing is asked of them.
⎕ ← ⍴{0=≢⍵: ⍵ ⋄ (⍵>17+≢⍵)/⍵}⍣9⊢v
⍝→ 0
⍝ A sum; the filter is in the other branch; what is kept is computed.
⎕ ← {100<+/⍵: (⍵>2)/⍵-2 ⋄ ⍵}⍣20⊢v
⍝→ 1 2 3 4 5 6 7 8 9 10 11 12
⍝ Two arrays, of one length, and a number beside them.
step ← {(a b k)←⍵ ⋄ (≢a)<k: a b k ⋄ m←3≠4|⍳≢a ⋄ (m/a+k)(m/b)(k+1)}
(a b k) ← (step⍣30) v (0.5×v) 3
⎕ ← a ⋄ ⎕ ← b ⋄ ⎕ ← k
⍝→ 34 35 46 50 55 62 70 71
⍝→ 0.5 1 6.5 8.5 11 14.5 18.5 19
⍝→ 9
