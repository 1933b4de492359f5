⍝ Black-Scholes prices of European call options, averaged over many maturities up to ten years.
⍝ test: --n=2000
⍝ gives: 21.73734464

n ← ⎕ArgInt 'n' 10000000      ⍝ number of maturities

price      ← 60.0             ⍝ of the stock now
strike     ← 65.0
rate       ← 0.08             ⍝ without risk, a year
volatility ← 0.3              ⍝ a year

⍝ The cumulative normal distribution by Hastings' polynomial (absolute error below 7.5E¯8).
normal ← {
    size ← |⍵
    k    ← ÷1+0.2316419×size
    p    ← k×0.31938153+k×¯0.356563782+k×1.781477937+k×¯1.821255978+k×1.330274429
    tail ← p×(*-size×size÷2)÷(○2)*0.5
    ((⍵≥0)×1-tail)+(⍵<0)×tail
}

call ← {
    deviation ← volatility×⍵*0.5
    d1 ← ((⍟price÷strike)+⍵×rate+volatility×volatility÷2)÷deviation
    d2 ← d1-deviation
    (price×normal d1)-(normal d2)×strike×*-rate×⍵
}

maturities ← 10×(⍳n)÷n
⎕ ← (+/call maturities)÷n
