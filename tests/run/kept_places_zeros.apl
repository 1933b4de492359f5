⍝ From zero, fill is a place: taken positions may stand twice.
⎕IO←0
n←⎕ArgInt 'n' 1
order←⍋n⍴5
p←(3×n)↑order
v←4⍴0
v[p]←10 20 30
v
⍝→ 30 0 0 0
v[1+p]←40 50 60
v
⍝→ 30 60 0 0
v[1+⍋n⍴0]←7
v
⍝→ 30 7 0 0
