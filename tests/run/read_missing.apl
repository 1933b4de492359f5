⍝ A file that is not there.
v←⎕ReadIntVecFile 'data/nosuch.txt'
⎕←v
⍝✗ read_missing.apl:2:
⍝✗ DOMAIN ERROR
⍝✗ data/nosuch.txt: No such file or directory
