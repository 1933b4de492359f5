⍝ Dfns: locals, guards, default arguments, lexical scope with names read at the call, closures.
n←⎕ArgInt 'n' 3
inc←{⍵+1}
inc inc n
⍝→ 5
x←5 ⋄ f←{x+⍵} ⋄ x←7
f 1
⍝→ 8
g←{x←⍵ ⋄ x×2}
g 10
⍝→ 20
x
⍝→ 7
h←{⍺←100 ⋄ ⍺-⍵}
h n
⍝→ 97
5 h n
⍝→ 2
abs←{⍵≥0:⍵ ⋄ -⍵}
abs n-10
⍝→ 7
abs n
⍝→ 3
class←{
    ⍵<0: 'negative'
    ⍵=0: 'zero    '
    'positive'
}
class n-3
⍝→ zero
class n
⍝→ positive
mix←{⍵>2: 0.5 ⋄ 1}
mix n
⍝→ 0.5
mix 1
⍝→ 1
odd←{2|⍵: 'odd' ⋄ 'even'↓⍨¯1}
odd n
⍝→ odd
pair←{⍵>1: (⍵)(⍵×1 2) ⋄ (0)(0 0)}
pair n
⍝→ 3
⍝→ 3 6
swap←{(a b)←⍵ ⋄ b a}
swap 1 n
⍝→ 3 1
outer←{k←⍵ ⋄ inner←{⍵+k} ⋄ inner 10}
outer n
⍝→ 13
count←{c←0 ⋄ c+←⍵ ⋄ c+←⍵ ⋄ c}
count n
⍝→ 6
{
    a←⍵+1
    b←a×2
    a b
}n
⍝→ 4 8
{⍵}n
⍝→ 3
n{⍺×⍵}4
⍝→ 12
0+{z←⍵}n
⍝→ 3
y←3
y+←4
y
⍝→ 7
y×←n
y
⍝→ 21
w←⍳3
w,←n
w
⍝→ 1 2 3 3
1+z←n
⍝→ 4
z
⍝→ 3
a←b←c←n
a+b+c
⍝→ 9
(k+1)×k←n
⍝→ 12
guards←{
    ⍵≡1: 'one'
    ⍵≡2: 'two'
    'many'
}
guards 1
⍝→ one
guards 2
⍝→ two
mean←{(+/⍵)÷≢⍵}
mean 1 2 3 4
⍝→ 2.5
mean n↑2 4 9
⍝→ 5
sum←+/
sum ⍳n
⍝→ 6
⍝ What ends in an assignment gives a value that is not printed by itself.
show ← {⎕←⍵}
show 5
⍝→ 5
x ← show 6
⍝→ 6
x
⍝→ 6
1+show 7
⍝→ 7
⍝→ 8
⊢show 8
⍝→ 8
⍝→ 8
k ← ⎕ArgInt 'k' 3
{⍵>2:⎕←'big' ⋄ ⎕←'small'}k
⍝→ big
{⍵>2:⎕←'big' ⋄ 'none'}k
⍝→ big
{⍵>3:⎕←'big' ⋄ 'none'}k
⍝→ none
{⍵>3:'huge' ⋄ ⍵>2:⎕←'big' ⋄ 'none'}k
⍝→ big
⊢{⍵>2:⎕←'big' ⋄ 'none'}k
⍝→ big
⍝→ big
{y ← ⍵+1}3
{y ← ⍵+1 ⋄ y}3
⍝→ 4
