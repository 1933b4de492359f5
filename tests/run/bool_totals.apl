⍝ Any, all, an odd or even number of truths, of as many elements as a few vectors have lanes, of each width.
n ← 70+⎕ArgInt 'n' 0
i ← ⍳n
r ← i×0.5
c ← ⎕UCS 64+i
b ← i=i
⍝ k is one of the first p where 1≤k≤p: of p from 0 to 70 and k from 0 to 71 in 0+1+...+70 cases of 71×72
⎕ ← +/{p ← ⍵ ⋄ +/{∨/⍵=p↑i}¨0,i,n+1}¨0,i
⍝→ 2485
⎕ ← +/{p ← ⍵ ⋄ +/{∨/(⍵×0.5)=p↑r}¨0,i,n+1}¨0,i
⍝→ 2485
⎕ ← +/{p ← ⍵ ⋄ +/{∨/(⎕UCS 64+⍵)=p↑c}¨0,i,n+1}¨0,i
⍝→ 2485
⎕ ← +/{p ← ⍵ ⋄ +/{∧/⍵≠p↑i}¨0,i,n+1}¨0,i
⍝→ 2627
⎕ ← +/{p ← ⍵ ⋄ +/{∧/(⍵×0.5)≠p↑r}¨0,i,n+1}¨0,i
⍝→ 2627
⍝ Among bytes: all of b are true, and one that is not at k
⎕ ← +/{p ← ⍵ ⋄ +/{∧/p↑b∧⍵≠i}¨0,i,n+1}¨0,i
⍝→ 2627
⎕ ← +/{p ← ⍵ ⋄ (∨/p↑b)+10×∧/p↑b}¨0,i
⍝→ 780
⍝ An odd number of the first p is above 30 where p is 31 33 ... 69; an even number is not where p is 0 2 ... 30, and from 31 on
⎕ ← +/{≠/30<⍵↑i}¨0,i
⍝→ 20
⎕ ← +/{≠/15<⍵↑r}¨0,i
⍝→ 20
⎕ ← +/{=/30<⍵↑i}¨0,i
⍝→ 56
⎕ ← +/{=/15<⍵↑r}¨0,i
⍝→ 56
⎕ ← +/{≠/⍵↑b}¨0,i
⍝→ 35
⎕ ← +/{=/⍵↑b}¨0,i
⍝→ 71
⍝ Beside sums and extremes of reals, one loop each, from lengths of which no vector is full
⎕ ← (+/r),(⌈/r),(∨/r>34.9),(∧/r<35),(≠/r>30),=/r>30
⍝→ 1242.5 35 1 0 0 1
⎕ ← ↑{v ← ⍵↑r ⋄ (+/v),(∨/v>1),(∧/v<2),≠/v>0}¨0 1 3 4 5 8
⍝→  0   0 1 0
⍝→  0.5 0 1 1
⍝→  3   1 1 1
⍝→  5   1 0 0
⍝→  7.5 1 0 1
⍝→ 18   1 0 0
⍝ What is not a number is not less, not equal, and not more
nan ← r×(n-n)÷n-n
⎕ ← (∨/nan<r),(∨/nan=nan),(∧/nan≠nan),(∨/nan>r),(∧/r<nan),∧/~nan≥r
⍝→ 0 0 1 0 0 1
⍝ Of rows and of columns
m ← n n⍴2=3|⍳n×n
⎕ ← (+/∨/m),(+/∧/m),(+/∨⌿m),(+/∧⌿m),(+/≠/m),+/≠⌿m
⍝→ 70 0 70 0 47 47
