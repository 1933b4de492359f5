⍝ The first of an order by blocks, whose keys vectors compare: vectors of lengths around those of vectors and blocks, ties in other lanes and
⍝ other blocks, and rows. y⍳⌊/y is the place of the least, y⍳⌈/y that of the greatest; of no items it is 0.
zero ← ⎕ArgInt 'zero' 0
lengths ← 1 7 8 9,(14+⍳19),63 64 65 255 256 257 511 512 513 1000+zero
agree ← {(((⊃⍋⍵)=⍵⍳⌊/⍵)∧(⊃⍒⍵)=⍵⍳⌈/⍵)}
⍝ Reals and integers without much of an order, of 7, 8 and 2 values, bools, and those that go down, so that each block has a new least.
⎕ ← (⊃⍋(⌷⍳3)↓⍨3+zero),⊃⍒(0.5×⌷⍳3)↓⍨3+zero
⍝→ 0 0
x ← ⌷1009|7919×⍳1000
⎕ ← ∧/{agree ⍵↑x÷3}¨lengths
⍝→ 1
⎕ ← ∧/{agree ⍵↑x}¨lengths
⍝→ 1
⎕ ← ∧/{agree ⍵↑(7|x)÷3}¨lengths
⍝→ 1
⎕ ← ∧/{agree ⍵↑8|x}¨lengths
⍝→ 1
⎕ ← ∧/{agree ⍵↑0=2|x}¨lengths
⍝→ 1
⎕ ← ∧/{agree ⍵↑0.5×-⍳1000}¨lengths
⍝→ 1
⍝ The least is at each place, once alone, and once with equal ones in the last block, which do not matter.
y ← ⌷600⍴3 4.5 6
⎕ ← ∧/(⍳600)={z←y ⋄ z[⍵]←¯1 ⋄ ⊃⍋z}¨⍳600
⍝→ 1
⎕ ← ∧/(⍳600)={z←y ⋄ z[⍵]←¯1 ⋄ z[600]←¯1 ⋄ ⊃⍋z}¨⍳600
⍝→ 1
i ← ⌷600⍴3 4 6
⎕ ← ∧/(⍳600)={z←i ⋄ z[⍵]←9 ⋄ z[600]←9 ⋄ ⊃⍒z}¨⍳600
⍝→ 1
⍝ 0 and -0 are equal.
nought ← zero÷5
⎕ ← (⊃⍋(300⍴1),⌷100⍴(-nought),nought),⊃⍒(300⍴¯1),⌷100⍴nought,-nought
⍝→ 301 301
⍝ A NaN is after all others; if there is nothing else, the first place is the first. 10 numbers are behind 290 and 300 NaNs.
nan ← nought÷nought
inf ← 1÷nought
⎕ ← {w←(⍵⍴nan),10⍴inf,1 2,-inf ⋄ (⊃⍋w),⊃⍒w}290+zero
⍝→ 294 291
⎕ ← {w←(⍵⍴nan),10⍴inf ⋄ (⊃⍋w),⊃⍒-w}300+zero
⍝→ 301 301
⎕ ← {w←⍵⍴nan ⋄ (⊃⍋w),⊃⍒w}600+zero
⍝→ 1 1
⍝ Rows, whose lengths the compiler knows or not; the least of row k is item 1+n|7×k, the greatest item 1+n|11×k+1.
rows ← {n←⍵ ⋄ k←⍳50 ⋄ m←1|0.37×k∘.+⍳n ⋄ m←m-5×(1+n|7×k)∘.=⍳n ⋄ m+5×(1+n|11×k+1)∘.=⍳n}
⎕ ← {m←rows ⍵ ⋄ k←⍳50 ⋄ p←1+⍵|7×k ⋄ q←1+⍵|11×k+1 ⋄ ∧/(p=q)∨(p=({⊃⍋⍵}⍤1)m)∧q=({⊃⍒⍵}⍤1)m}¨26 33 100 256 300+zero
⍝→ 1 1 1 1 1
m ← ⌷rows 41
⎕ ← ∧/(((1+41|7×⍳50)=({⊃⍋⍵}⍤1)m)∧(1+41|11×1+⍳50)=({⊃⍒⍵}⍤1)m)∨(1+41|7×⍳50)=1+41|11×1+⍳50
⍝→ 1
⍝ Of what vectors compute only, and of rows of a table.
⎕ ← ⊃⍋1○⍳1000+zero
⍝→ 344
t ← ⌷(1000|7919×⍳503)÷1000
⎕ ← +/({⊃⍋⍵}⍤1)|t∘.-(⌷⍳40)÷40
⍝→ 10079
