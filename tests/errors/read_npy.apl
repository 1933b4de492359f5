⍝ The rank of what a .npy file holds stands on the left, known when compiled.
⎕ReadNpyInt 'a.npy'
0 ⎕ReadNpyInt 'a.npy'
(⎕ArgInt 'n' 2) ⎕ReadNpyInt 'a.npy'
2 ⎕ReadCSVInt 'a.csv'
2 ⎕ReadNpyInt 5
⎕ReadNpy 'a.npy'
