⍝ Kept rows that check something, where they are scattered or reduced: rows that are not kept check nothing; in a loop without
⍝ waiting for how many there are, also where an element of what is written is asked for. (A model in Python agrees.)
n ← ⎕ArgInt 'n' 30
w ← ⍳n
w[(0=5|w)/2×w⌊⌊n÷2] ← 0
⎕ ← w
⍝→ 1 2 3 4 5 6 7 8 9 0 11 12 13 14 15 16 17 18 19 0 21 22 23 24 25 26 27 28 29 0
strike ← {
    (s p) ← ⍵
    m ← p×(p-1)+⍳0⌈1+(⌊n÷p)-p
    s[(s[p]∧0<≢m)/m] ← 0
    s (p+1)
}
(s last) ← (strike⍣4) (1<⍳n) 2
⎕ ← ⍸s
⍝→ 2 3 5 7 11 13 17 19 23 29
t ← +/w[(w>3)/n+1-w]
⎕ ← t
⍝→ 315
add ← {
    (s p) ← ⍵
    m ← (s>s[p])/s
    s[m] +← s[p]
    s (p+1)
}
(s last) ← (add⍣3) (n⌊1+⌽⍳n) 1
⎕ ← s
⍝→ 30 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 60
bad ← {
    s ← ⍵
    s[(s>s[1])/s+n-10] ← s[2]
    s
}
⎕ ← (bad⍣4)⌽⍳n
⍝→ 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1
⎕ ← (bad⍣4)⍳n
⍝✗ kept_checks.apl:31:5:
⍝✗ INDEX ERROR: 31 of 30
