⍝ The prelude: what is written in APL rather than in the compiler. It is part of the binary and is
⍝ elaborated before every program; names that begin with ∆ are the compiler's own. Errors inside are
⍝ reported at the call in the user's program.

⍝ ---- operators ------------------------------------------------------------------------------------

⍝ ⍺∘.f⍵: both arguments in the shape (⍴⍺),⍴⍵, then item by item. ⍺ is repeated for every item of ⍵, so
⍝ its own axes come last in the reshape and are rotated to the front.
∆outer ← {
  axes ← (⍴⍴⍺)⌽⍳(⍴⍴⍺)+⍴⍴⍵
  (axes⍉((⍴⍵),⍴⍺)⍴⍺) ⍺⍺¨ ((⍴⍺),⍴⍵)⍴⍵
}

⍝ ⍺ f.g ⍵: both arguments in the shape (¯1↓⍴⍺),(1↓⍴⍵),common axis; g item by item, f along the last.
∆inner ← {
  rows ← ¯1↓⍴⍺ ⋄ columns ← 1↓⍴⍵
  k ← ≢rows ⋄ m ← ≢columns
  left ← ((k+⍳m),(⍳k),k+m+1)⍉(columns,⍴⍺)⍴⍺
  right ← ((⍳k),(k+m+1),k+⍳m)⍉(rows,⍴⍵)⍴⍵
  ⍺⍺/left ⍵⍵¨ right
}

⍝ ---- functions ------------------------------------------------------------------------------------

⍝ ⍺≡⍵ of arrays of one rank and kind.
∆match ← {
  ∧/(⍴⍺)=⍴⍵: ∧/,⍺=⍵
  0
}

⍝ ⍺⍳⍵ and ⍺∊⍵, by comparing everything with everything.
∆indexof ← {1++/∧\⍵∘.≠⍺}
∆member ← {∨/⍺∘.=,⍵}

⍝ ⍺⌽⍵ with an amount for each vector along the last axis: an index into the ravel.
∆rotate ← {
  n ← ¯1↑⍴⍵
  starts ← (¯1↓⍴⍵)⍴n×¯1+⍳×/¯1↓⍴⍵
  (,⍵)[1+(starts∘.+n⍴0)+n|⍺∘.+¯1+⍳n]
}

⍝ ---- names of older programs ------------------------------------------------------------------------

ReadCSVDouble ← ⎕ReadDoubleVecFile
ReadCSVInt ← ⎕ReadIntVecFile
and ← ⎕INT32AND
xor ← ⎕INT32XOR
sll ← ⎕INT32SHL
srl ← ⎕INT32SHR
testBit ← {0≠⍵ ⎕INT32AND 1 ⎕INT32SHL ⍺-1}
now ← ⎕NOW
bench ← {                              ⍝ f 0, and milliseconds a call, of ⍵ calls one after the other
  f ← ⍺⍺
  start ← ⎕NOW 0
  result ← ({f 0×⍵}⍣⍵)0
  result,((⎕NOW 1)-start)÷⍵
}
