⍝ SOACs in branches of functions of rows: scans, elements, differences, indices that are checked, rows that branches give,
⍝ branches in branches; conditions of rows, of sizes, and of what a kernel tells; few rows, many, short ones, none.
f←{(+/⍵)>n: ⌈/+\⍵ ⋄ ⌊/⍵}
g←{1≥≢⍵: 7 ⋄ 3>⊃⍵: +/|(1↓⍵)-¯1↓⍵ ⋄ ⍵[1]×⌈/⌽+\⍵}
h←{2|+/⍵: +\⍵ ⋄ 5<⌈/⍵: ⌽⍵ ⋄ (≢⍵)>2000: 0×⍵ ⋄ ⍵+⍵[≢⍵]}
p←{(⍵[1]>4)∧(≢⍵)>1: +/⍵[1+(≢⍵)|⍵] ⋄ (2|⍵[1]){⍺: ⌈/+\⍵ ⋄ ≢⍵}⍵}
q←{x←⍵[1+(≢⍵)|⍵⍳⌈/⍵] ⋄ +/x×+\⍵}
s←{t←+/,⍵ ⋄ {t>40: ⌈/-\⍵ ⋄ +/⍵}⍤1⊢⍵}
n←11
v←{
  w←{1000003|⍵+1}⍵
  (+/f⍤1⊢w),(+/g⍤1⊢w),(+/,h⍤1⊢w),(+/p⍤1⊢w),(+/q⍤1⊢w),+/s w
}
v 5 70⍴7|3×⍳350
v 3 2500⍴9|⍳7500
v 40000 3⍴8|⍳11
v 4 1⍴⍳4
v 0 5⍴0
⍝→ 1400 5600 1400 350 151200 20
⍝→ 37494 204386 31274170 27498 46886244 30
⍝→ 334535 2112723 879993 363635 2923612 196365
⍝→ 14 28 20 10 54 14
⍝→ 0 0 0 0 0 0
