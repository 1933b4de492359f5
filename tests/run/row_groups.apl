⍝ Rows that are gone through several times, long enough for a work-group each: softmax, and rows made standard.
n←⎕ArgInt 'n' 3
k←⎕ArgInt 'k' 600
m←(n,k)⍴(⍳997)÷97
softmax←{(*⍵-⌈/⍵)÷+/*⍵-⌈/⍵}
s←softmax⍤1⊢m
⎕←s[2;1 2 599 600]
⍝→ 0.0001758726839 0.0001776951826 0.000002875878764 0.000002905680351
⎕←+/s×m
⍝→ 5.203474742 9.350998611 7.296258247
standard←{d←⍵-(+/⍵)÷≢⍵ ⋄ d÷((+/d×d)÷≢⍵)*0.5}
z←standard⍤1⊢m
⎕←z[;1]
⍝→ ¯1.729166458 0.1098112288 ¯1.729166458
⎕←+/z×m
⍝→ 1071.370146 2130.272447 1071.370146
