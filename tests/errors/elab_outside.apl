⍝ Functions do not change variables outside: what would only change a copy is an error.
v←⍳3 ⋄ m←2 3⍴0 ⋄ c←0
{v[⍵]←⍵×2 ⋄ ⍵}¨⍳3
{m[1;⍵]←⍵}¨⍳3
{c+←⍵ ⋄ ⍵}¨⍳3
{v[⍵]+←1 ⋄ v[1]×←2 ⋄ 0}2
{v[⍵]←9 ⋄ +/v}2
{v[1⌈v⍳⍵]←9 ⋄ 0}2
{w←v ⋄ w[⍵]←9 ⋄ 0}2
{{v[⍵]←0 ⋄ ⍵}⍵}1
