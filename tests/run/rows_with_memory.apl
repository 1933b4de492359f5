⍝ Functions of rows that make arrays, which they read again and again, and scans with what takes their rows, by rows and by
⍝ columns: on processors a loop for each group, with a piece of memory for its rows. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_KERNELS=gpu
n ← ⎕ArgInt 'n' 40
sum ← {+/,⍵×(⍴⍵)⍴13|⍳×/⍴⍵}
of ← {(⍵)⍴101|7×⍳×/⍵}
share ← {e ← 7+11|⍵×⍵-⌈/⍵ ⋄ (1000×e)-⍵×+/e}
twice ← {d ← (2×⍵)-⌈/⍵ ⋄ q ← d×d ⋄ (q-⌊/q)+(⌽d)×+/q}
spread ← {d ← ⍵-⌊/⍵ ⋄ e ← d+2⌽d ⋄ (e×⌈/e)-+/d}
rows ← {m ← of ⍵ ⋄ (sum share⍤1⊢m),(sum twice⍤1⊢m),sum spread⍤1⊢m}
⎕ ← rows n,n+30
⍝→ ¯459662473 1865727664 250058165
⎕ ← rows (n-37),n-33
⍝→ 742359 90205668 349272
⎕ ← rows (n-39),n+60
⍝→ ¯24530288 1260729180 7590518
⎕ ← rows (n+300),n-38
⍝→ 34757921 1477603904 5873006
⎕ ← rows (n-40),5
⍝→ 0 0 0
⎕ ← rows n,n-39
⍝→ 1562456 45577772 0
scans ← {m ← of ⍵ ⋄ (sum 3|+\m×m),(sum 5|1+⌈\7|m),(sum 3|+⍀m×m),sum 5|1+⌈⍀7|m}
⎕ ← scans n,n+30
⍝→ 16728 24579 16500 32320
⎕ ← scans (n-37),n-33
⍝→ 120 79 119 79
⎕ ← scans (n-39),n+60
⍝→ 555 599 384 1125
⎕ ← scans (n+300),n-38
⍝→ 4041 7337 4037 7549
⎕ ← scans (n-40),5
⍝→ 0 0 0 0
