⍝ run: emit --to=tokens
⍝ Numbers in every form; 0 and 1 alone are bools; what has too many digits for an int is a double.
0 1 00 01 ¯1 5 ¯5
5. .5 ¯.5 2.25
1E10 1e10 1.5e¯3 ¯2E5 .5e1
3j4 0J¯1 ¯1.5j.5 1e2J1E¯2
9223372036854775807 ¯9223372036854775808 9223372036854775808 ¯9223372036854775809
