⍝ Loops that the device ends, in which the host runs ahead: what it started too much must leave no trace.
v←1+⍳300
⍝ each number of steps from none to 70, decided before a step, and after one
first←{k←⍺ ⋄ {k≤⌈/⍵: ⍵ ⋄ ∇ ⍵+v>0} ⍵}
⎕←0 {⍺>70: ⍵ ⋄ (⍺+1)∇ ⍵,+/⍺ first 0×v} 0⍴0
⍝→ 0 300 600 900 1200 1500 1800 2100 2400 2700 3000 3300 3600 3900 4200 4500 4800 5100 5400 5700 6000 6300 6600 6900 7200 7500 7800 8100 8400 8700 9000 9300 9600 9900 10200 10500 10800 11100 11400 11700 12000 12300 12600 12900 13200 13500 13800 14100 14400 14700 15000 15300 15600 15900 16200 16500 16800 17100 17400 17700 18000 18300 18600 18900 19200 19500 19800 20100 20400 20700 21000
after←{k←⍺ ⋄ ({⍵+v>0}⍣{k≤⌈/⍺})⍵}
⎕←0 {⍺>70: ⍵ ⋄ (⍺+1)∇ ⍵,+/⍺ after 0×v} 0⍴0
⍝→ 300 300 600 900 1200 1500 1800 2100 2400 2700 3000 3300 3600 3900 4200 4500 4800 5100 5400 5700 6000 6300 6600 6900 7200 7500 7800 8100 8400 8700 9000 9300 9600 9900 10200 10500 10800 11100 11400 11700 12000 12300 12600 12900 13200 13500 13800 14100 14400 14700 15000 15300 15600 15900 16200 16500 16800 17100 17400 17700 18000 18300 18600 18900 19200 19500 19800 20100 20400 20700 21000
⍝ the number of steps, which the host counts
count←{(k w)←⍵ ⋄ 50000<+/w: k,(⌈/w),+/w ⋄ ∇ (k+1)(w+2)}
⎕←count 0 v
⍝→ 8 317 50250
⍝ arrays that change places
fibonacci←{(a b)←⍵ ⋄ 100000<⌈/b: (⌈/a),(⌈/b),(+/a),+/b ⋄ ∇ b (a+b)}
⎕←fibonacci v (v+1)
⍝→ 70277 113710 10633050 17204550
⍝ numbers that stay on the device: the next step and the end want them
sums←{(w s)←⍵ ⋄ u←w+1+7|s ⋄ t←+/u ⋄ 100000<t: t,s,+/w ⋄ ∇ u t}
⎕←sums v 5
⍝→ 100050 97950 97950
⍝ the host knows that a step is the last: before the device says so, at the same step, after it
capped←{most←⍺ ⋄ {(k w)←⍵ ⋄ k≥most: ¯1,k,+/w ⋄ 20≤⌈/w: 1,k,+/w ⋄ ∇ (k+1)(w+1)} 0 ⍵}
⎕←(0 capped 0×v),(5 capped 0×v),(19 capped 0×v),(20 capped 0×v),(21 capped 0×v),(60 capped 0×v)
⍝→ ¯1 0 0 ¯1 5 1500 ¯1 19 5700 ¯1 20 6000 1 20 6000 1 20 6000
capped2←{most←⍺ ⋄ {(k w)←⍵ ⋄ 20≤⌈/w: 1,k,+/w ⋄ k≥most: ¯1,k,+/w ⋄ ∇ (k+1)(w+1)} 0 ⍵}
⎕←(0 capped2 0×v),(5 capped2 0×v),(19 capped2 0×v),(20 capped2 0×v),(21 capped2 0×v),(60 capped2 0×v)
⍝→ ¯1 0 0 ¯1 5 1500 ¯1 19 5700 1 20 6000 1 20 6000 1 20 6000
⍝ with a number of the device, and one condition of both
capped3←{most←⍺ ⋄ {(k w s)←⍵ ⋄ s≥6000: 1,k,s ⋄ k≥most: ¯1,k,s ⋄ x←w+1 ⋄ ∇ (k+1) x (+/x)} 0 ⍵ 0}
⎕←(7 capped3 0×v),(20 capped3 0×v),40 capped3 0×v
⍝→ ¯1 7 2100 1 20 6000 1 20 6000
both←{most←⍺ ⋄ {(k w)←⍵ ⋄ (k≥most)∨20≤⌈/w: k,+/w ⋄ ∇ (k+1)(w+1)} 0 ⍵}
⎕←(0 both 0×v),(7 both 0×v),(20 both 0×v),40 both 0×v
⍝→ 0 0 7 2100 20 6000 20 6000
⍝ steps inside of a step
inner←{30>(⌈/⍵)-⌊/⍵: (⌈/⍵),(⌊/⍵),+/⍵ ⋄ ∇ ({⌊0.5×⍵+1⌽⍵}⍣7)⍵}
⎕←inner v×v
⍝→ 15067 15041 4513002
⍝ elements are assigned
set←{w←⍵ ⋄ w[⍳10]←w[⍳10]+1 ⋄ 55<⌈/w: (+/w),w[10 11] ⋄ ∇ w}
⎕←set 0×v
⍝→ 560 56 0
⍝ a loop in a loop, both ended by the device
nested←{1000<+/⍵: +/⍵ ⋄ ∇ {60<⌈/11|⍵: ⍵ ⋄ 5=7|⌈/⍵: ⍵ ⋄ ∇ ⍵+v>200} ⍵+v>100}
⎕←nested 0×v
⍝→ 1412
⍝ the device decides at two places of a step, between which the host may leave
two←{(a b)←⍺ ⋄ {(k w)←⍵ ⋄ a≤⌈/w: 1,k,+/w ⋄ u←w+1 ⋄ b≤⌈/u: 2,k,+/u ⋄ ∇ (k+1) u} 0 ⍵}
⎕←(0 9 two 0×v),(9 9 two 0×v),(9 10 two 0×v),(30 40 two 0×v),(40 30 two 0×v),(33 33 two 0×v),33 34 two 0×v
⍝→ 1 0 0 2 8 2700 1 9 2700 1 30 9000 2 29 9000 2 32 9900 1 33 9900
three←{(a b c)←⍺ ⋄ {(k w)←⍵ ⋄ a≤⌈/w: 1,k,+/w ⋄ u←w+1 ⋄ k≥c: 3,k,+/u ⋄ b≤⌈/u: 2,k,+/u ⋄ ∇ (k+1) u} 0 ⍵}
⎕←(9 10 20 three 0×v),(9 9 20 three 0×v),(9 9 8 three 0×v),(9 9 7 three 0×v),(50 50 49 three 0×v),50 50 48 three 0×v
⍝→ 1 9 2700 2 8 2700 3 8 2700 3 7 2400 3 49 15000 3 48 14700
⍝ arrays that grow: a step too many may be too large
⎕←{1000<+/⍵: (≢⍵),+/⍵ ⋄ ∇ ⍵,⍵}3↑v
⍝→ 384 1152
⎕←{1e9<+/⍵: (≢⍵),+/⍵ ⋄ ∇ 1000×⍵,⍵}3↑v
⍝→ 24 72000000000
⍝ more guards than the host runs ahead of
guards←{w←⍵ ⋄ 760000<+/w×1: 0,+/w ⋄ 720000<+/w×2: 1,+/w ⋄ 680000<+/w×3: 2,+/w ⋄ 640000<+/w×4: 3,+/w ⋄ 600000<+/w×5: 4,+/w ⋄ 560000<+/w×6: 5,+/w ⋄ 520000<+/w×7: 6,+/w ⋄ 480000<+/w×8: 7,+/w ⋄ 440000<+/w×9: 8,+/w ⋄ 400000<+/w×10: 9,+/w ⋄ 360000<+/w×11: 10,+/w ⋄ 320000<+/w×12: 11,+/w ⋄ 280000<+/w×13: 12,+/w ⋄ 240000<+/w×14: 13,+/w ⋄ 200000<+/w×15: 14,+/w ⋄ 160000<+/w×16: 15,+/w ⋄ 120000<+/w×17: 16,+/w ⋄ 80000<+/w×18: 17,+/w ⋄ ∇ w+1}
⎕←guards v
⍝→ 9 45450
⍝ no elements, one element, no step, rank 0 and 4
few←{(k w)←⍵ ⋄ 5≤⌈/,w: k,(⍴w),+/,w ⋄ k≥40: ¯1,k,(⍴w),+/,w ⋄ ∇ (k+1)(w+1)}
⎕←(few 0 (0⍴0)),(few 0 (1⍴0)),(few 0 (3 0 2⍴0)),(few 0 (2 1 3 1⍴0)),few 0 (1 1 1 1⍴9)
⍝→ ¯1 40 0 0 5 1 5 ¯1 40 3 0 2 0 5 2 1 3 1 30 0 1 1 1 1 9
⎕←{100≤⍵: ⍵ ⋄ ∇ ⍵+7} +/⍳3
⍝→ 104
⍝ an element that is not there would be read in the step after the last one
t←1+⍳20
⎕←{20≤⌈/⍵: ⍵ ⋄ ∇ t[⍵]} 1 2 3
⍝→ 18 19 20
