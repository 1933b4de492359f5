⍝ Printing happens in program order, right to left within a statement; assignments print nothing; only the
⍝ branch that is taken prints.
n←⎕ArgInt 'n' 3
x←⎕←n+1
⍝→ 4
x
⍝→ 4
(⎕←1)+⎕←2
⍝→ 2
⍝→ 1
⍝→ 3
⎕←⎕←n
⍝→ 3
⍝→ 3
f←{⎕←⍵ ⋄ ⍵×2}
f n
⍝→ 3
⍝→ 6
y←f n
⍝→ 3
g←{⍵>2: ⎕←'big' ⋄ ⎕←'not'}
z←g n
⍝→ big
z←g n-2
⍝→ not
⎕←'text'
⍝→ text
⎕←'it''s "quoted"'
⍝→ it's "quoted"
''
⍝→
⎕←⍬
⍝→
0 3⍴0
2 2⍴'abcd'
⍝→ ab
⍝→ cd
⍕n+39
⍝→ 42
⍕2.5
⍝→ 2.5
'n=',⍕n
⍝→ n=3
⎕D,⎕A
⍝→ 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ
⎕IO
⍝→ 1
t←⎕NOW 0
t≥0
⍝→ 1
⎕ArgDouble 'epsilon' 0.125
⍝→ 0.125
⎕ArgInt 'size' 12
⍝→ 12
