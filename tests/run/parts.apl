⍝ Results that are made of parts, each of which is stored where it belongs.

⍝ Haar's wavelets: averages and differences of neighbours, then of the averages.
step ← {
    (x m) ← ⍵
    p ← (⌊m÷2) 2⍴m↑x
    s ← 0.5×p[;1]+p[;2]
    d ← 0.5×p[;1]-p[;2]
    (s,d,m↓x) (⌊m÷2)
}
x ← 4 6 10 12 8 6 5 5
⎕ ← ⊃(step⍣3) x 8
⍝→ 7 1 ¯3 1 ¯1 ¯1 1 0

⍝ And back.
back ← {
    (x m) ← ⍵
    s ← m↑x
    d ← m↑m↓x
    (((,⍉↑(s+d) (s-d)),(2×m)↓x)) (2×m)
}
⎕ ← ⊃(back⍣3) (7 1 ¯3 1 ¯1 ¯1 1 0) 1
⍝→ 4 6 10 12 8 6 5 5

⍝ Above and beside each other, turned, and reversed.
m ← 3 4⍴⍳12
grow ← {(a b) ← ⍵ ⋄ c ← 1+|a ⋄ (⍉(⌽c),[1]⍉⍉c÷2) (b+1)}
r ← ⊃(grow⍣3) m 0
⎕ ← ⍴r
⍝→ 8 12
⎕ ← +/,r                ⍝ 1.5×12+78, then 1.5×24+135, then 1.5×48+238.5
⍝→ 429.75
