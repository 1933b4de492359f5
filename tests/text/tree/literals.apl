⍝ run: emit --to=tree
⍝ How literals print: ints of 0 and 1 (no bools) with i, doubles with a point or an exponent.
0 1 01 00 2 ¯1
5. 0.1 1E300 ¯1.5e¯7
3J4 0J¯1
'a' '' 'it''s' "x" "a""b"
⍬
