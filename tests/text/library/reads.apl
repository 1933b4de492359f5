⍝ run: opt --passes=inline,library
⍝ Arguments and files become parameters, each once; prints become results, arrays with their sizes.
v ← ⎕ReadDoubleVecFile 'data/v.txt'
k ← ⎕ArgDouble 'k' 0.5
⎕ ← k×≢⎕ReadDoubleVecFile 'data/v.txt'
⎕ ← v
⎕ ← ⎕ArgInt 'n' 1
