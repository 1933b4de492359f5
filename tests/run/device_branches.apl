⍝ also: opencl TAILOR_COPIED_BYTES=0
⍝ Branches in loops, between which the device chooses, and what it checks and stores for the host (tests/text/kernels/choose.core,
⍝ left.core): what is started of the branch that is not taken must leave no trace.
v←⍳300
⍝ maps of both, one of which computes with what decides
⎕←+/{m←⌈/⍵ ⋄ m>310: ⍵-m ⋄ ⍵+1}⍣25⊢v
⍝→ ¯40950
⍝ one gives what is there
⎕←+/{m←⌈/⍵ ⋄ m>150: ⌊⍵÷2 ⋄ ⍵}⍣25⊢v
⍝→ 22500
⍝ reductions and scans in the branches
⎕←+/{m←⌈/⍵ ⋄ m>400: 1009|⍵+(+/⍵)-⌊/⍵ ⋄ 1009|+\⍵}⍣25⊢v
⍝→ 155670
⍝ numbers that the branches compute, with which the next step decides
f←{(s x)←⍵ ⋄ m←⌈/x ⋄ m>150+s: (s+1009|+/x)(⌊x÷2) ⋄ (s-40)(x+1)}
(s x)←f⍣25⊢0 v
⎕←s (+/x)
⍝→ 791 15225
⍝ three ways, and branches in branches
g←{m←1009|+/⍵ ⋄ m>700: ⌽⍵+1 ⋄ m>300: {7<17|⌈/⍵: 1⌽⍵ ⋄ ⍵-3} ⍵ ⋄ 1009|⍵×2}
⎕←(+/r) (+/v×r←g⍣40⊢v)
⍝→ 135784 17630219
⍝ the host chooses, and in its branch the device
d←{300<⌈/⍵: ⍵-50 ⋄ ⍵+7}
⎕←+/{(⍴⍵)>50: d ⍵ ⋄ ⍵×2}⍣25⊢v
⍝→ 46350
⍝ in a loop that the device ends, which has a number of its own
h←{(k s w)←⍵ ⋄ s>20000: k,s,(+/w) ⋄ 2=3|s: ∇ (k+1) (s+⌈/w) (w+1) ⋄ ∇ (k+1) (s+⌊/w) (1⌽w-2)}
⎕←h 0 0 (v+300)
⍝→ 99 20097 75750
⍝ an element that the device chooses changes in one branch
u←{p←1+300|+/⍵ ⋄ w←⍵ ⋄ w[p]←0 ⋄ 1=2|p: w ⋄ w+1}
⎕←(+/r) (+/v×r←u⍣25⊢v)
⍝→ 44983 8335969
⍝ rows change places where the device says
a←7 5⍴⍳35
(k b)←{(k a)←⍵ ⋄ c←a[;1+5|k] ⋄ p←c⍳⌈/c ⋄ i←1+7|k ⋄ a[i p;]←a[p i;] ⋄ (k+1) (a-(i×p=⍳7)∘.×5⍴1)}⍣25⊢0 a
⎕←b
⍝→   7   8   9  10  11
⍝→   8   9  10  11  12
⍝→ ¯22 ¯21 ¯20 ¯19 ¯18
⍝→  31  32  33  34  35
⍝→ ¯10  ¯9  ¯8  ¯7  ¯6
⍝→  ¯2  ¯1   0   1   2
⍝→   6   7   8   9  10
⍝ rows that are shared out in other parts in one branch than in the other, of a size that is not known (1⌽w has a border)
n←⎕ArgInt 'n' 50
turn←{(s w u)←⍵ ⋄ t←1009|+/w ⋄ w[⍴w]←t ⋄ 204<t: (1009|s×2)(1009|w+⌊/u)(1009|1⌽w) ⋄ (0=2|t)∧364<s: 7 (1009|u+s)(1009|w+⌊/u) ⋄ (s+3)(1009|w)(1009|w+⍳n)}
(s w u)←turn⍣30⊢2 (⍳n) (0×⍳n)
⎕←s (+/w×⍳n) (+/u×⍳n)
⍝→ 855 347250 967060
