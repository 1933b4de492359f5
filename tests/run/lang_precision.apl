⍝ ⎕PP: how many significant digits of reals are shown, from then on.
n ← ⎕ArgInt 'n' 4
⎕ ← ⎕PP
⍝→ 10
⎕ ← ○1
⍝→ 3.141592654
⎕PP ← 3
⎕ ← (○1)(2÷3)123456 1E5
⍝→ 3.14 0.667 1.23E5 1E5
⎕ ← ⍕○1 10
⍝→ 3.14 31.4
⎕PP ← n
⎕ ← ○1
⍝→ 3.142
⎕ ← ⎕PP+1
⍝→ 5
⍝ as a function's or a loop's doing
show ← {old ← ⎕PP ⋄ ⎕PP ← ⍺ ⋄ text ← ⍕⍵ ⋄ ⎕PP ← old ⋄ text}
⎕ ← (12 show○1),' ',⍕○1
⍝→ 3.14159265359 3.142
⎕ ← ({⎕ ← ÷⎕PP←⍵+1 ⋄ ⍵+1}⍣3)1
⍝→ 0.5
⍝→ 0.333
⍝→ 0.25
⍝→ 4
⎕PP ← 17
⎕ ← 0.1
⍝→ 0.10000000000000001
⎕PP ← 1
⎕ ← 0.27 27 2.7
⍝→ 0.3 3E1 3
⎕PP ← 14+n
⍝✗ lang_precision.apl:32:1: DOMAIN ERROR: 18 digits, not 1 to 17
⍝✗   ⎕PP ← 14+n
