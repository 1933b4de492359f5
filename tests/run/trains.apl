⍝ Trains: forks and atops, also with an array at the left.
mean←+/÷≢
⎕←mean 1 2 3 4
⍝→ 2.5
⎕←(+-×)5
⍝→ 4
⎕←3(+×-)2
⍝→ 5
⎕←(2×+)5
⍝→ 10
⎕←(-÷)4
⍝→ ¯0.25
range←⌈/-⌊/
⎕←range 3 9 4
⍝→ 6
