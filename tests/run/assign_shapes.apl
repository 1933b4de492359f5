⍝ Indexed assignment of values that have the places' axes: of length 1, and such that only run time knows.
n←⎕ArgInt 'n' 3
m←2 n⍴⍳6
⎕←(-@(,1))m
⍝→ ¯1 ¯2 ¯3
⍝→  4  5  6
m[(,2);]←m[(,1);]
⎕←m
⍝→ 1 2 3
⍝→ 1 2 3
k←1 n⍴⍳6
k[;⍳n]+←5
⎕←k
⍝→ 6 7 8
k[;⍳n]←k
⎕←k
⍝→ 6 7 8
c←n 1⍴⍳3
c[⍳n;]←-c
⎕←c
⍝→ ¯1
⍝→ ¯2
⍝→ ¯3
q←3 4⍴⍳12
q[,1;n↑1 2 3]×←10
⎕←q
⍝→ 10 20 30  4
⍝→  5  6  7  8
⍝→  9 10 11 12
w←1 1 3⍴5 6 7
w[;;n⍴1]+←5
⎕←w
⍝→ 20 6 7
m[(,1);]←8 9 1
⎕←m
⍝→ 8 9 1
⍝→ 1 2 3
m[1;]←1 n⍴7 8 9
⎕←m
⍝→ 7 8 9
⍝→ 1 2 3
