⍝ What a mask selects is changed in place: no list of positions is made; where one is, its items differ, or not.
⍝ also: opencl TAILOR_KERNELS=gpu TAILOR_WORK_ITEMS=100000
n←⎕ArgInt 'n' 10
v←(7|⍳n)-3
v[⍸v<0]←0
v
⍝→ 0 0 0 1 2 3 0 0 0 0
is←⍸v>0
v[is]←v[is]×10+is
v
⍝→ 0 0 0 14 30 48 0 0 0 0
h←5⍴0
k←1+5|⍳n
h[(v>0)/k]+←1
h[(v>14)/k]←9
h
⍝→ 9 9 0 0 1
⍝ In a loop: nobody waits for the number of places.
step←{(k w)←⍵ ⋄ w[⍸w>k]-←1 ⋄ (k+1) w}
2⊃(step⍣4)1 (⍳n)
⍝→ 1 1 2 2 3 3 4 4 5 6
⍝ Orders are permutations.
x←3 1 2 5 4,n
r←(≢x)⍴0
r[⍋x]←⍳≢x
r
⍝→ 3 1 2 5 4 6
r[2↑⍒x]←¯1 ¯2
r
⍝→ 3 1 2 ¯2 4 ¯1
⍝ One item extends to all that the mask selects: the last value wins.
one←⎕ArgInt 'one' 1
is←((n⍴1)∧7<⍳n)/⍳one
is
⍝→ 1 1 1
v[is]←70 80 90
v
⍝→ 90 0 0 14 30 48 0 0 0 0
⍝ No places, and all of them.
v[⍸v>1000]←1
v[⍸v≥0]←2
v
⍝→ 2 2 2 2 2 2 2 2 2 2
⍝ The mask says what is to be read, too.
w←⍳n
w[⍸w>5]←w[⍸w<6]
w
⍝→ 1 2 3 4 5 1 2 3 4 5
u←¯2+⍳n
u[⍸u>0]←⍳+/u>0
u
⍝→ ¯1 0 1 2 3 4 5 6 7 8
big←(⍳10000×n)-5000×n
big[⍸0=3|big]←0
big[⍸big<0]+←1
(+/big) (≢big)
⍝→ 83333 100000
⍝ How many places there are is what stands there.
is←(u>3)/⍳n
u[is]←≢is
u
⍝→ ¯1 0 1 2 3 5 5 5 5 5
{x←⍵ ⋄ is←(x>7)/⍳≢x ⋄ x[is]←≢is ⋄ x}⍤1⊢3 5⍴⍳15
⍝→ 1 2 3 4 5
⍝→ 6 7 3 3 3
⍝→ 5 5 5 5 5
⍝ Read by one mask, and written by it.
bounce←{(p v)←⍵ ⋄ p←p+v ⋄ ((p<0)/v)×←¯1 ⋄ h←p>9 ⋄ (h/p)←18-h/p ⋄ (h/v)←-h/v ⋄ p v}
(p q)←(bounce⍣5)(⍳n) (10⍴3 ¯2)
p
⍝→ 2 4 0 2 ¯2 0 2 ¯2 0 0
q
⍝→ ¯3 2 ¯3 2 3 2 3 2 3 ¯2
