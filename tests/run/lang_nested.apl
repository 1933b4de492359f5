⍝ Nested items: match, depth, enlist, scan, replicate.
n ← ⎕ArgInt 'n' 2
t ← (1 2 3)'abc'
(t≡t)(t≢t)(t≡(1 2 3)'abd')(t≡1 2 3)
⍝→ 1 0 0 0
((⊂1 2)≡1 2)((⊂1 2)≡⊂⍳n)((1 'a')≡1 'a')((1 'a')≡1 2)
⍝→ 0 1 1 0
(≡5)(≡1 2)(≡t)(≡(1 (2 (3 4)))(5 (6 7)))(≡⊂t)
⍝→ 0 1 2 4 3
∊(1 2)(3 (4 5))
⍝→ 1 2 3 4 5
∊'ab' 'cd'
⍝→ abcd
∊(1 n)(2.5 3)
⍝→ 1 2 2.5 3
-\(1 2)(3 4)(5 6)
⍝→ 1 2
⍝→ ¯2 ¯2
⍝→ 3 4
,\'a' 'bc' 'def'
⍝→ a
⍝→ abc
⍝→ abcdef
1 0 2/'one' 'two' 'three'
⍝→ one
⍝→ three
⍝→ three
0 1/(1 2)(3 4)
⍝→ 3 4
