⍝ Kernels for processors: shares of maps, borders, sums over windows, reductions, nests; also where there are
⍝ fewer rows than work-items, or none.
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 1000
v←⍳n
⍝ reductions: sums, extremes, several at once, reals, bools; 1000×1001÷2, 1000×1001×2001÷6
⎕←(+/v),(⌈/v),(⌊/v),+/v×v
⍝→ 500500 1000 1 333833500
⎕←+/÷v×v+1
⍝→ 0.999000999
⎕←+/0=3|v
⍝→ 333
⎕←⌈/(¯1⋆v)×v
⍝→ 1000
⍝ differences of neighbours, with borders
d←(1⌽v)-v
⎕←(+/d),(⌊/d),⌈/d
⍝→ 0 ¯999 1
⎕←+/|(1↓v×v)-¯1↓v×v
⍝→ 999999
⍝ sines of neighbours: each is computed once
⎕←1e¯9>|(+/(1○1↓v)-1○¯1↓v)-(1○n)-1○1
⍝→ 1
⎕←1e¯6>|(+/(1○v)*2)+(+/(2○v)*2)-n
⍝→ 1
⍝ far from 0 sines are what they are elsewhere
⎕←1e¯9>⌈/|1-((1○1e12×v)*2)+(2○1e12×v)*2
⍝→ 1
⎕←1e¯12>|1-(*+/÷n⍴n)÷*1
⍝→ 1
⍝ nests: rows and columns with borders; Life's blinker turns twice
life←{r←(¯1⌽⍵)+⍵+1⌽⍵ ⋄ a←(¯1⊖r)+r+1⊖r ⋄ (a=3)∨⍵∧a=4}
m←(100 100)⍴(4950<⍳10000)∧4954>⍳10000
⎕←(+/,life m),(+/,m≠life m),+/,m≠life life m
⍝→ 3 4 0
⎕←+/,(1⌽1⊖(40 50)⍴⍳2000)
⍝→ 2001000
⍝ quotients and remainders
⎕←(+/7|v),+/⌊v÷7
⍝→ 3003 71071
⎕←+/,(⍳30)∘.×⍳40
⍝→ 381300
⍝ many steps a row
⎕←+/({⍵+1}⍣5)¨v
⍝→ 505500
⍝ few rows, and none
⎕←(+/⍳1),(+/⍳0),(⌈/⍳2),+/,(2 3)⍴⍳6
⍝→ 1 0 2 21
e←0⍴v
⎕←(+/e×2),⍴e+1
⍝→ 0 0
⍝ greatest, least and sum of as many reals as there are lanes, fewer, and more
f←{x←(0.5×⍳⍵)-2 ⋄ (⌈/x),(⌊/x),+/x}
⎕←(f 1⌊n),(f 7⌊n),f 8⌊n
⍝→ ¯1.5 ¯1.5 ¯1.5 1.5 ¯1.5 0 2 ¯1.5 2
⎕←(f 9⌊n),(f 17⌊n),f n
⍝→ 2.5 ¯1.5 4.5 6.5 ¯1.5 42.5 498 ¯1.5 248250
⎕←(⌈/*v-n),(⌊/2○v×0),⌊/⍟v
⍝→ 1 1 0
