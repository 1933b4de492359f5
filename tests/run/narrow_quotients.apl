⍝ Remainders and floors of quotients of positions by numbers of either sign that run time tells, and by 0.
n ← ⎕ArgInt 'n' ¯7
m ← ⎕ArgInt 'm' 6
z ← ⎕ArgInt 'z' 0
v ← ⍳9
⎕ ← n|v
⎕ ← m|v-5
⎕ ← z|v
⎕ ← m|-v
⎕ ← v[1+m|v-5]
⎕ ← v[4+(n|v)⌈¯3]
⍝→ ¯6 ¯5 ¯4 ¯3 ¯2 ¯1 0 ¯6 ¯5
⍝→ 2 3 4 5 0 1 2 3 4
⍝→ 1 2 3 4 5 6 7 8 9
⍝→ 5 4 3 2 1 0 5 4 3
⍝→ 3 4 5 6 1 2 3 4 5
⍝→ 1 1 1 1 2 3 4 1 1
