⍝ There are no inverses: a negative count of ⍣ is an error also where only run time knows it.
n ← ⎕ArgInt 'n' ¯1
({⍵×2}⍣(1+n))5
⍝→ 5
({⍵×2}⍣n)5
⍝✗ lang_power_negative.apl:5:8: DOMAIN ERROR
