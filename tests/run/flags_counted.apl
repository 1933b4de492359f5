⍝ How many flags are set, beside what is kept by them: before the filter and behind it, used before it, in a loop, in rows
z ← ⎕ArgInt 'z' 0
v ← 1009|i×i←⍳z+2000
b ← 500<v
s ← +/b
w ← b/v
s
⍝→ 1024
≢w
⍝→ 1024
+/b
⍝→ 1024
3↑w
⍝→ 529 576 625
c ← 0=7|v
k ← +/c
x ← c/v-k
k,+/x
⍝→ 315 49854
+/c∧b
⍝→ 144
e ← (z+5)⍴0
(e/⍳5),+/e
⍝→ 0
({q←⍵>3 ⋄ (q/⍵-1),+/q}⍣3) 9 2 7 4
⍝→ 6 4 2
m ← 3 4⍴3 1 4 1 5 9 2 6 5 3 5 8
+/m>2
⍝→ 2 3 4
