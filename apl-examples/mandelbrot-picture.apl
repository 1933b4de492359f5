⍝ The Mandelbrot set as text: the darker the letter, the longer the point stays.
⍝ test: --width=24 --height=9 --steps=40
⍝ gives:       ,,,,,,,::;;::,
⍝ gives:     ,,,,,,:::;-OO=;;:,,
⍝ gives:   ,,,,,:;;;;=OOOOOOO-:,,
⍝ gives:   :::;;=*o+*OOOOOOOO+;:,
⍝ gives:  OOOOOOOOOOOOOOOOOO*-;:,
⍝ gives:   :::;;=*o+*OOOOOOOO+;:,
⍝ gives:   ,,,,,:;;;;=OOOOOOO-:,,
⍝ gives:     ,,,,,,:::;-OO=;;:,,
⍝ gives:       ,,,,,,,::;;::,

width  ← ⎕ArgInt 'width' 76
height ← ⎕ArgInt 'height' 30
steps  ← ⎕ArgInt 'steps' 200

cr ← (height width)⍴¯2.1+3×(¯1+⍳width)÷width
ci ← ⍉(width height)⍴¯1.2+2.4×(¯0.5+⍳height)÷height

step ← {
    (zr zi count) ← ⍵
    r ← zr×zr
    i ← zi×zi
    (cr+r-i) (ci+2×zr×zi) (count+4>r+i)
}

zero ← (height width)⍴0.0
(zr zi count) ← (step⍣steps) zero zero ((height width)⍴0)

shades ← ' .,:;-=+*oO8%#@'
⎕ ← shades[1+14⌊⌊3×⍟1⌈count-1]
