⍝ run: emit --to=tree
⍝ Dfns keep their statements as written; guards, defaults and lines.
{⍵+1}3
2{⍺+⍵}3
f←{⍵}
f 3
fact←{⍵≤1:1 ⋄ ⍵×∇ ⍵-1}
g←{
  ⍺←10        ⍝ a default

  t←⍺+⍵ ⋄ t>5:t
  {⍵×2}t
}
5 g 6
{}1
{1}2
({⍺+⍵}/)1 2 3
{⍵[1;]←0 ⋄ (a b)←⍵}4
