⍝ Nested arrays without items keep the prototype of their items: first, fill, mix, each and reductions see it.
n←⎕ArgInt 'n' 3
⊃0⍴(1 2)(3 4)
⍝→ 0 0
⊃0/'abc' 'de'
⍝→
≢⊃2↓'abc' (1 2)
⍝→ 3
⊃0⍴(⍳n)'x'
⍝→ 0 0 0
⊃0⍴⊂'a' 1 (2 3)
⍝→
⍝→ 0
⍝→ 0 0
⍝ fill
2↑0⍴(1 2)(3 4)
⍝→ 0 0
⍝→ 0 0
≢¨2⍴0⍴'abc' 'd'
⍝→ 3 3
⊃2↑1↓⊂'ab' (1 2)
⍝→
⍝→ 0 0
⍝ mix, and items of none among others
⍴↑0⍴(1 2 3)(4 5 6)
⍝→ 0 3
⍴↑2 0⍴⊂3 4⍴n
⍝→ 2 0 3 4
⍴↑0⍴⊂0⍴⊂1 2
⍝→ 0 0
↑(1 (2 3))(⍳0)
⍝→ 1
⍝→ 2 3
⍝→ 0
⍝→ 0
⍝ in several axes
⍴2 0 3⍴⊂1 2
⍝→ 2 0 3
⊃,2 0 3⍴⊂1 2
⍝→ 0 0
⍴⍉2 0⍴⊂1 2
⍝→ 0 2
⍴⊂[2]0 3⍴n
⍝→ 0
⊃⊂[2]0 3⍴n
⍝→ 0 0 0
⍴⍳0 3
⍝→ 0 3
⊃⍳0 3
⍝→ 0 0
⊃⍸2 2⍴0
⍝→ 0 0
⍴⊃(⊂⍤1)0 3⍴n
⍝→ 3
⍝ what is left of sets and parts
⊃'ab' 'cd'~'cd' 'ab'
⍝→
⍴⊃'ab' 'cd'∩⊂'x'
⍝→ 2
⍴⊃0 0 0⊂'abc'
⍝→ 0
⍝ each, outer product, reduction
⊃⌽¨0⍴(1 2)(3 4)
⍝→ 0 0
⊃{⍵ ⍵}¨⍬
⍝→ 0 0
⊃(0⍴⊂1 2)∘.,1 2 3
⍝→ 0 0 0
+/0⍴(1 2)(3 4)
⍝→ 0 0
×/0⍴(2 2⍴n)(3 4)
⍝→ 1 1
⍝→ 1 1
⍝ depth, match, enlist
≡0⍴⊂1 2
⍝→ 2
(0⍴⊂1 2)≡0⍴⊂3 4
⍝→ 1
(0⍴⊂1 2)≡0⍴⊂'ab'
⍝→ 0
3↑∊0⍴'ab' 'cd'
⍝→
⍝ text
⍴⍕0⍴⊂1 2
⍝→ 0
0⍴⊂1 2
⍝→
⍝ joined with others
x←0⍴⊂1 2
x,⊂3 4
⍝→ 3 4
⊃x,0⍴⊂5 6 7
⍝→ 0 0
x,⍳n
⍝→ 1 2 3
⍝ as the state of a loop
({⍵}⍣n)x
⍝→
n{⍺=0:⊃⍵ ⋄ (⍺-1)∇⍵}x
⍝→ 0 0
