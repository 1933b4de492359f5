⍝ Loops whose state is what a filter keeps: how many rows these are is not asked for in each step, or is. (A model in Python
⍝ agrees.)
⍝ also: opencl TAILOR_COPIED_BYTES=0
n ← ⎕ArgInt 'n' 300
⎕ ← 10↑{1↓(0≠(1⌈⊃⍵)|⍵)/⍵}⍣12⊢1+⍳n
⍝→ 71 73 77 79 83 87 89 97 101 103
⎕ ← {(⍵≥⌊(+/⍵)÷1⌈≢⍵)/⍵}⍣4⊢1+101|37×⍳n
⍝→ 95 98 101 94 97 100 96 99 95 98 101 94 97 100 96 99 95 98 101 94 97 100 96 99
collatz ← {
    (v steps) ← ⍵
    w ← (v≠1)/v
    ((w×3×2|w)+(2|w)+(0=2|w)×⌊w÷2) (steps+≢w)
}
(r s) ← (collatz⍣12) (⍳n) 0
⎕ ← (≢r) (⌈/r) (+/r) s
⍝→ 270 3400 67500 3460
count ← {
    (v c) ← ⍵
    w ← (v>⌊(+/v)÷1⌈≢v)/v
    c[1+10|w] +← 1
    w c
}
(v c) ← (count⍣5) (100|13×⍳n) (10⍴0)
⎕ ← v
⍝→ 99 98 97 99 98 97 99 98 97
⎕ ← c
⍝→ 24 24 24 24 27 30 30 33 36 36
⍝ Until nothing is left: the device says so.
drain ← {(v s)←⍵ ⋄ w←(0<v)/v-1+3|v ⋄ w (s++/w)}
(v s) ← (drain⍣25) (50|⍳n) 0
⎕ ← (≢v) s
⍝→ 0 38970
⎕ ← {(5≤⍵)/⍵-1+⌊⍵÷7}⍣{0=≢⍺}⊢200|⍳n
⍝→
⍝ Positions that a mask tells, and what is read there.
mark ← {
    (seen last) ← ⍵
    is ← (seen=last)/⍳n
    seen[1+n|3×is] ← last+1
    seen (last+1)
}
(seen last) ← (mark⍣6) (7=⍳n) 1
⎕ ← 20↑seen
⍝→ 0 0 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0
⍝ No more room than there are rows, whatever the program allows.
most ← ⎕ArgInt 'most' 300000000
⎕ ← {w←(⍵>2)/⍵ ⋄ w[⍳most⌊≢w]}⍣3⊢⍳5
⍝→ 3 4 5
⍝ What is kept is too short at last.
⎕ ← +/{w←(⍵>⌊(+/⍵)÷≢⍵)/⍵ ⋄ w+w[2]-2}⍣3⊢⍳n
⍝→ 59015
⎕ ← {w←(⍵>⌊(+/⍵)÷≢⍵)/⍵ ⋄ w+w[2]-2}⍣40⊢⍳n
⍝✗ filters_in_loops.apl:52:28:
⍝✗ INDEX ERROR: 2 of 1
