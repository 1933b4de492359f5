⍝ Windows of many items by associative functions, beside a reduction of each window: blocks that are as long as
⍝ windows, a last one that is not full, windows as long as the array and longer ones.
each ← {f ← ⍺⍺ ⋄ size ← ⍺ ⋄ items ← ⍵ ⋄ {f/size↑⍵↓items}¨¯1+⍳1+(≢items)-size}
v ← 1009|7919×⍳1000
r ← (v-500)÷8
most ← v>20
⎕ ← ∧/(37⌈/v)=37(⌈each)v
⍝→ 1
⎕ ← ∧/(250⌊/r)=250(⌊each)r
⍝→ 1
⎕ ← ∧/(¯41+/r)=41(+each)r
⍝→ 1
⎕ ← ∧/(33×/v)=33(×each)v
⍝→ 1
⎕ ← (+/40∧/most) (+/40∧/0=1009|v×v) ((40∧/most)≡40(∧each)most)
⍝→ 288 0 1
⎕ ← (100≠/most)≡100(≠each)most
⍝→ 1
⎕ ← (35=/most)≡35(=each)most
⍝→ 1
⎕ ← (900+/most)≡900(+each)most
⍝→ 1
⎕ ← (1000⌈/r),(⍴1001⌈/v),(⍴1001+/v),1000+/v
⍝→ 63.5 0 0 505046
m ← (3 100)⍴v
⎕ ← ∧/,(36⌈/m)=36(⌈each)⍤1⊢m
⍝→ 1
⎕ ← ∧/,(¯50⌊⌿⍉m)=⍉50(⌊each)⍤1⊢m
⍝→ 1
⎕ ← ∧/,(64+/m)=64(+each)⍤1⊢m
⍝→ 1
⎕ ← (+/1000000000×100⌈/v),+/1000000000×¯100⌊/v      ⍝ integers, as v is
⍝→ 900865000000000 8380000000000
