⍝ No .npy file.
⎕ ← 1 ⎕ReadNpyInt 'data/ints.txt'
⍝✗ lang_read_npy_not.apl:2:7: DOMAIN ERROR: data/ints.txt: not a .npy file
