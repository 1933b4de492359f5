⍝ Conjugate gradients: how warm a bar is whose ends are held cold while it is heated everywhere.
⍝ test: --n=30
⍝ gives: 1

n ← ⎕ArgInt 'n' 400

⍝ Twice what is here less what is on both sides; beyond the ends there is nothing.
bar   ← {(2×⍵)-(¯1⌽⍵×n≠⍳n)+1⌽⍵×1≠⍳n}
heat  ← n⍴1

⍝ Each step goes as far as it helps, in a direction that undoes no step before it. What is left is what a bar of this warmth
⍝ would still be heated by.
step ← {
  (warm left way) ← ⍵
  q    ← bar way
  far  ← (left+.×left)÷way+.×q
  rest ← left-far×q
  turn ← (rest+.×rest)÷left+.×left
  (warm+far×way)(rest)(rest+turn×way)
}
⍝ The bar is the same from both sides, so that half as many steps as it has points are enough.
(warm left way) ← (step⍣(⌈n÷2))(n⍴0)heat heat

⍝ The warmth is known: a parabola.
k ← ⍳n
⎕ ← 1e¯6>⌈/|warm-0.5×k×(n+1)-k
