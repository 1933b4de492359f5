⍝ Functions without arguments do nothing; glyphs that other APLs have are named.
+/
f ← {⍵+1}
f
g ← f
⎕ ← 1 0 1⊆⍳3
⎕ ← (⍳3)⍠1
∇r←g x
