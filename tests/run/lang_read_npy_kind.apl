⍝ Elements of another kind than the name says.
⎕ ← 3 ⎕ReadNpyInt 'data/cube.npy'
⍝✗ lang_read_npy_kind.apl:2:7: DOMAIN ERROR: data/cube.npy: elements of dtype '<f8' where i64 is wanted
