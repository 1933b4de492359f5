⍝ Rows of scans that are wanted turned, cut or padded, along any axis, and views of such views: each is stored where the last
⍝ view shows it. (A model in Python agrees.)
⍝ also: opencl TAILOR_LANES=32
n ← ⎕ArgInt 'n' 40
k ← ⎕ArgInt 'k' 7
m ← (n,n+3)⍴7|⍳n×n+3
weigh ← {+/,(1009|(⍴⍵)⍴⍳×/⍴⍵)×⍵}
⎕ ← weigh k⌽+\m
⍝→ 50175604
⎕ ← weigh 0 1↓+\m+1
⍝→ 67135411
⎕ ← weigh (n,n+5)↑+\m+2
⍝→ 86457415
⎕ ← weigh 1⊖2⌽+\m+3
⍝→ 100644796
⎕ ← weigh ⍉k⌽+⍀m+4
⍝→ 110016972
⎕ ← weigh k⌽⍉+\m+5
⍝→ 146514934
⎕ ← weigh 1 2↓⌽+\m+6
⍝→ 129080686
⎕ ← weigh k⌽0,+\m+7
⍝→ 171295537
⎕ ← weigh (-n+2 4)↑+\m+8
⍝→ 204960534
⎕ ← weigh k⌽3+2×+\,m
⍝→ 4285775020
⎕ ← weigh ¯1↓1⌽+\,3×m
⍝→ 6449811105
⎕ ← weigh (+\⍳n),2⌽+\⌽⍳n
⍝→ 1753820
⎕ ← weigh 2⌽(+\⍳n),+\⌽2×⍳n
⍝→ 3128210
⎕ ← weigh {2⌽1009|+\⍵}⍣3⊢m
⍝→ 344684589
⎕ ← weigh {¯1 0↓1⊖+⍀5|⍵}⍣3⊢m
⍝→ 31027473
⎕ ← weigh {{2⌽101|+\⍵}⍣4⊢⍵}⍤1⊢m
⍝→ 40100572
