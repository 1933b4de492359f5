⍝ Effects are not for functions of reductions and scans.
{⎕←⍺+⍵}\⍳3
{⎕←⍺+⍵}/⍳3
{⍺+?⍵}/4 5 6
{⍺+⎕NOW 0}/⍳3
⎕ArgInt 5
⎕ArgInt 'n' 'abc'
⎕ReadFile 5
⎕NOW 1 2
{⎕PP←⍵ ⋄ ⍵}/⍳3
⎕IO←2
1 ⎕NOW 2
1 ⎕INT32NOT 2
⎕INT32AND 2
'a'⎕INT32AND 2
⎕INT32AND/⍳0
