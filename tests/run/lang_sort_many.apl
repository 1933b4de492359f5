⍝ Orders of so many keys that their numbers need two bytes, or three, of what is sorted: keys of up to eight bytes, few different
⍝ ones, and reals. They are ascending, keys that are equal in their order, and those of a permutation: what it scatters is all.
⍝ also: opencl TAILOR_LANES=32
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 65530
ok←{s←⍺[⍵] ⋄ a←¯1↓s ⋄ b←1↓s ⋄ up←∧/(a<b)∨(a=b)∧(¯1↓⍵)<1↓⍵ ⋄ up∧all ⍵}
all←{b←(≢⍵)⍴0 ⋄ b[⍵]←1 ⋄ ∧/b}
wide←{(¯6148914691236517205×⍳⍵)-9007199254740993×7|⍳⍵}
few←{(1000|7919×⍳⍵)-500}
x←wide n ⋄ y←wide n+7 ⋄ z←few n+7
(x ok⍋x),(y ok⍋y),z ok⍋z
⍝→ 1 1 1
(⍒x)≡⍋-1+x
⍝→ 1
r←(1○⍳n+7)×2*50-100|⍳n+7
(r ok⍋r),(⍋r)≡⍒-r
⍝→ 1 1
⍝ all keys equal; a loop that sorts in each step
(⍴⍋n⍴7),(⍋n⍴7)≡⍳n
⍝→ 65530 1
w←{1000003|3+⍵[⍋⍵]×⌽⍳≢⍵}⍣5⊢few 3000
w[⍋w]≡⌽w[⍒w]
⍝→ 1
