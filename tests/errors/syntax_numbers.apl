⍝ Malformed numbers.
1.2.3
5x
1E
1e5.5
3J
J3+1e
¯
¯x
- ¯ 5
1E999
1¯2
