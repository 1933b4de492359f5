⍝ NumPy's arrays: the rank stands on the left, the kind of elements in the name.
c ← 3 ⎕ReadNpyDouble 'data/cube.npy'
⎕ ← c
⍝→  0.5 1
⍝→
⍝→ ¯2   1E10
⎕ ← ⍴c
⍝→ 2 1 2
s ← 2 ⎕ReadNpyInt 'data/square.npy'
⎕ ← ⍉s
⍝→  1 3
⍝→ ¯2 4
⎕ ← 0.5×2 ⎕ReadNpyDouble 'data/square.npy'
⍝→ 0.5 ¯1
⍝→ 1.5  2
⎕ ← ~1 ⎕ReadNpyBool 'data/flags.npy'
⍝→ 0 1 0
⎕ ← ⌽1 ⎕ReadNpyChar 'data/letters.npy'
⍝→ zé⍴a
⎕ ← 2 ⎕ReadNpyDouble 'data/cube.npy'
⍝✗ lang_read_npy.apl:20:7: DOMAIN ERROR: data/cube.npy: an array of rank 3 where rank 2 is wanted
⍝✗   ⎕ ← 2 ⎕ReadNpyDouble 'data/cube.npy'
