⍝ Cyclic reshapes of one item more than a row: row i begins i places before the vector's first item.
n ← ⎕ArgInt 'n' 5
⎕ ← i ← n n⍴1,n⍴0
⍝→ 1 0 0 0 0
⍝→ 0 1 0 0 0
⍝→ 0 0 1 0 0
⍝→ 0 0 0 1 0
⍝→ 0 0 0 0 1
⎕ ← i≡(n,n)⍴(n+1)↑1
⍝→ 1
⎕ ← i≡(⍳n)∘.=⍳n
⍝→ 1
⎕ ← n n⍴⍳n+1
⍝→ 1 2 3 4 5
⍝→ 6 1 2 3 4
⍝→ 5 6 1 2 3
⍝→ 4 5 6 1 2
⍝→ 3 4 5 6 1
⍝ A row more is the last that begins by going round once; another row begins with the vector again.
⎕ ← ((n+1),n)⍴⍳n+1
⍝→ 1 2 3 4 5
⍝→ 6 1 2 3 4
⍝→ 5 6 1 2 3
⍝→ 4 5 6 1 2
⍝→ 3 4 5 6 1
⍝→ 2 3 4 5 6
⎕ ← ¯1 5↑((n+2),n)⍴⍳n+1
⍝→ 1 2 3 4 5
⎕ ← ⍴((n+1),0)⍴⍳n+1
⍝→ 6 0
z ← ⎕ArgInt 'z' 0
⎕ ← ⍴z z⍴1,z⍴0
⍝→ 0 0
⎕ ← 4 4⍴'abcde'
⍝→ abcd
⍝→ eabc
⍝→ deab
⍝→ cdea
⎕ ← 2 4⍴'abcde'
⍝→ abcd
⍝→ eabc
⎕ ← 6 4⍴'abcde'
⍝→ abcd
⍝→ eabc
⍝→ deab
⍝→ cdea
⍝→ bcde
⍝→ abcd
⎕ ← +/,i×(⍳n)∘.×⍳n
⍝→ 55
m ← ⌷(⍳n)∘.×⍳n
⎕ ← m-i×5
⍝→ ¯4  2  3  4  5
⍝→  2 ¯1  6  8 10
⍝→  3  6  4 12 15
⍝→  4  8 12 11 20
⍝→  5 10 15 20 20
m ← n n⍴1,n⍴0 ⋄ m[2;3] ← 7 ⋄ ⎕ ← m
⍝→ 1 0 0 0 0
⍝→ 0 1 7 0 0
⍝→ 0 0 1 0 0
⍝→ 0 0 0 1 0
⍝→ 0 0 0 0 1
