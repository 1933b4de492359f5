⍝ The moving average of a noisy wave: how much smoother it is than the wave.
⍝ test: --n=1000
⍝ gives: 1

n ← ⎕ArgInt 'n' 10000000

wave    ← 1○0.001×⍳n
noisy   ← wave+0.1×¯0.5+?n⍴0
average ← (9+/noisy)÷9
middle  ← ¯4↓4↓wave

square ← {+/⍵×⍵}
⎕ ← (square average-middle)<0.2×square (¯4↓4↓noisy)-middle
