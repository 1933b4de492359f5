⍝ A scan of all but the last, which there must be, does not go before the check that says so, beside scans of the same
⍝ numbers that are printed before: these lines come out, two empty ones and a sum, then the failure.
n←⎕ArgInt 'n' 0
v←5|7×⍳n
⎕←v×0,+\¯1↓v
⎕←v×0,+\¯1↓v÷3
⎕←+/v×0,+\2×¯1↓v
⎕←+/(⍳n)×0,+\⍳n-1
⎕←v+2,⌈\¯1↓3|v
w←0,¯1↓+\v
⎕←w[⌽⍳n]
⍝→
⍝→
⍝→ 0
⍝✗ checks_in_order_error.apl:8:14:
⍝✗ DOMAIN ERROR: ¯1
