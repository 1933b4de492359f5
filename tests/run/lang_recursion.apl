⍝ ∇ in tail position is a loop: any depth, arguments and results of any kind.
n←⎕ArgInt 'n' 10
fact←{⍺←1 ⋄ ⍵≤1:⍺ ⋄ (⍺×⍵)∇⍵-1}
fact n
⍝→ 3628800
gcd←{⍵=0:⍺ ⋄ ⍵∇⍵|⍺}
48 gcd n+8
⍝→ 6
collatz←{⍵[1]=1:⍵[2] ⋄ x←⍵[1] ⋄ s←1+⍵[2] ⋄ 0=2|x:∇(⌊x÷2)s ⋄ ∇(1+3×x)s}
collatz 27 0
⍝→ 111
{5≤≢⍵:⍵ ⋄ ∇⍵,≢⍵}⍳0
⍝→ 0 1 2 3 4
{⍵≤0:0 ⋄ ⎕←⍵ ⋄ ∇⍵-1}3
⍝→ 3
⍝→ 2
⍝→ 1
⍝→ 0
⍝ within a function applied to every item
{⍺←2 ⋄ ⍵<⍺×⍺:⍵ ⋄ 0=⍺|⍵:⍺ ⋄ (⍺+1)∇⍵}¨91 97
⍝→ 7 97
⍝ the state widens: from 0 over ints to doubles
{⍵>2:⍵ ⋄ ∇⍵+0.5}0
⍝→ 2.5
{1000000≤⍵:⍵ ⋄ ∇⍵+1}0
⍝→ 1000000
⍝ halving an interval
root←{(lo hi)←⍵ ⋄ mid←0.5×lo+hi ⋄ 1E¯10>hi-lo:mid ⋄ n<mid*2:∇lo mid ⋄ ∇mid hi}
⌊0.5+1E6×root 0 n
⍝→ 3162278
⍝ what the last step assigns is not printed once more
{⍵=0:⎕←'done' ⋄ ∇⍵-1}3
⍝→ done
{⍵>0:∇⍵-1 ⋄ ⎕←⍵}n
⍝→ 0
{⍵>2:⎕←⍵ ⋄ ⎕←'x' ⋄ ∇⍵+1}1
⍝→ x
⍝→ x
⍝→ 3
{⍺←0 ⋄ ⍵=0:⎕←⍺ ⋄ (⍺+⍵)∇⍵-1}3
⍝→ 6
{⎕←⍵>2:r←⍵ ⋄ ∇⍵+1}2
⍝→ 0
⍝→ 1
1+{⍵=0:⎕←⍵ ⋄ ∇⍵-1}3
⍝→ 0
⍝→ 1
⍝ of several last steps the one that is taken decides
ends←{⍵=0:⎕←'even' ⋄ ⍵=1:'odd' ⋄ ∇⍵-2}
ends n
⍝→ even
ends n+1
⍝→ odd
({⎕←⍵+1}⍣2)n
⍝→ 11
⍝→ 12
⍝→ 12
