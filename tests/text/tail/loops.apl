⍝ run: emit --to=tail
⍝ Loop states: a strand of scalars is a tuple of scalars; types widen until the body keeps them.
n←⎕ArgInt 'n' 10
x←({⍵×0.5}⍣n)1
(a b)←({(p q)←⍵ ⋄ q (p+q)}⍣n)0 1
v←({⍵,≢⍵}⍣n)⍳0
