⍝ Rows of scans that are wanted turned round, or some of them; and rows that go to places that a scan gives. (A model in
⍝ Python agrees.)
n ← ⎕ArgInt 'n' 3000
k ← ⎕ArgInt 'k' 1234
s ← k⌽+\⍳n
⎕ ← s[1],s[n-k],s[n+1-k],s[n]
⍝→ 763230 4501500 1 761995
⎕ ← 3↑(¯5⌽+\⍳n)
⍝→ 4489506 4492503 4495501
t ← k↓+\⍳n
⎕ ← (≢t),t[1],t[≢t]
⍝→ 1766 763230 4501500
⎕ ← ¯4↑(n+2)↑+\⍳n
⍝→ 4498500 4501500 0 0
⎕ ← 4↑(-n+2)↑+\⍳n
⍝→ 0 0 1 3
⍝ In a loop, and back again.
⎕ ← +/({7|k⌽+\⍵}⍣3) n⍴1 0 2
⍝→ 9764
u ← ({(¯1×k)⌽+\⍵}⍣2) n⍴1
⎕ ← u[k+1],u[k]
⍝→ 1767 4501500
⍝ Places that a scan gives: of numbers that come to one place the last stays.
m ← 0=3|⍳n
p ← +\m
q ← (1+p[n])⍴0
q[1+p] ← ⍳n
⎕ ← 3↑q
⍝→ 2 5 8
⍝ Replication: where each run begins.
v ← 1+2|⍳n
⎕ ← +/(⍳+/v)×v/⍳n
⍝→ 20256750000
