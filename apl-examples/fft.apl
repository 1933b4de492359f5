⍝ The fast Fourier transform, by Stockham's method: every step halves the transforms that are left and
⍝ doubles their number, and no step has to sort. Finds the tones that a signal is made of, takes out all
⍝ but the lowest, and compares what is left with that tone.
⍝ test: --k=9
⍝ gives: 5 40 100
⍝ gives: 3 2 0.5
⍝ gives: ¯1.570796327
⍝ gives: 1

k ← ⎕ArgInt 'k' 20            ⍝ 2*k samples
n ← ⌊2*k

⍝ From two halves of l by m numbers: their sums, and their differences turned by the roots of unity.
step ← {
    (x l) ← ⍵
    m     ← ⌊(≢x)÷2×l
    h     ← (2,l,m)⍴x
    sum   ← h[1;;]+h[2;;]
    turn  ← ¯12○○(¯1+⍳l)÷l                        ⍝ e to the power of i pi j/l
    rest  ← (h[1;;]-h[2;;])×(+turn)∘.+m⍴0
    (,sum,[1.5]rest) (⌊l÷2)
}
fft     ← {⊃(step⍣k) (⍵+0J0) (⌊n÷2)}
inverse ← {(+fft+⍵)÷n}

t      ← (○2÷n)×¯1+⍳n
signal ← (3×1○5×t)+(2×2○40×t)+0.5×1○100×t

spectrum ← fft signal
size     ← (2÷n)×|(⌊n÷2)↑spectrum
tones    ← ⍸0.1<size

⎕ ← tones-1                                       ⍝ how often in the whole time
⎕ ← size[tones]                                   ⍝ and how strong
⎕ ← 12○spectrum[6]                                ⍝ a sine is a cosine a quarter late

low    ← inverse spectrum×(20>⍳n)∨20>⌽⍳n
⎕ ← 1E¯9>⌈/|low-3×1○5×t
