⍝ Several filters of one vector, each by what it computes of the rows that it reads, where one map would have made all
⍝ flags, or a scan has them, too.
z←⎕ArgInt 'z' 0
of←{((⍵<5)/⍵),((⍵=5)/⍵),(⍵>5)/⍵}
⎕←of z⍴7
⍝→ 
⎕←of (1+z)⍴7
⍝→ 7
⎕←of 2↓z,3 5
⍝→ 5
⎕←of (9+z)⍴3 7 5 1
⍝→ 3 1 3 1 3 5 5 7 7
v←10|7×⍳65+z
⎕←≢of v
⍝→ 65
⎕←4↑of v
⍝→ 4 1 2 3
⎕←¯4↑of v
⍝→ 9 6 7 8
⎕←(v>7)/v
⍝→ 8 9 8 9 8 9 8 9 8 9 8 9 8
s←+\v>7
⎕←5↓10↑s
⍝→ 1 2 2 2 2
⎕←(v>7)/s
⍝→ 1 2 3 4 5 6 7 8 9 10 11 12 13
⎕←+/(v>7)/v-s
⍝→ 19
