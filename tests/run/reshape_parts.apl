⍝ The largest matrix of four columns that an array fills, and the smallest that it does not fill.
none←⎕ArgInt 'none' 0 ⋄ one←⎕ArgInt 'one' 1 ⋄ two←⎕ArgInt 'two' 2 ⋄ three←⎕ArgInt 'three' 3
seven←⎕ArgInt 'seven' 7 ⋄ many←⎕ArgInt 'many' 1002
fours←{v←(⍳⍵)×⍳⍵ ⋄ ((⌊(≢v)÷4),4)⍴v}
⎕←⍴fours none
⍝→ 0 4
⎕←⍴fours one
⍝→ 0 4
⎕←⍴fours three
⍝→ 0 4
⎕←fours seven
⍝→ 1 4 9 16
⎕←fours seven+two
⍝→  1  4  9 16
⍝→ 25 36 49 64
⎕←⍴fours many
⍝→ 250 4
⎕←¯1 4↑fours many
⍝→ 994009 996004 998001 1000000
more←{v←⍳⍵ ⋄ ((⌈(≢v)÷4),4)⍴v}
⎕←⍴more none
⍝→ 0 4
⎕←more one
⍝→ 1 1 1 1
⎕←more three
⍝→ 1 2 3 1
⎕←more seven
⍝→ 1 2 3 4
⍝→ 5 6 7 1
⎕←¯1 4↑more many
⍝→ 1001 1002 1 2
