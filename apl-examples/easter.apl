⍝ The date of Easter Sunday (Gregorian) for many years at once, as numbers yyyymmdd.
⍝ test: --n=3000
⍝ gives: 18180322 19430425 20000423 20240331 20250420 20260405
⍝ gives: 30000413
⍝ gives: 1176853

n ← ⎕ArgInt 'n' 10000000      ⍝ years 1 to n

div    ← {⌊⍺÷⍵}
easter ← {
    golden  ← 19|⍵                                         ⍝ place in the moon's cycle of 19 years
    century ← ⍵ div 100
    leaps   ← century div 4
    lunar   ← (century+8) div 25
    drift   ← (1+century-lunar) div 3
    epact   ← 30|15+(19×golden)+century-leaps+drift
    year    ← 100|⍵
    weekday ← 7|(32+(2×4|century)+2×year div 4)-epact+4|year
    late    ← (golden+(11×epact)+22×weekday) div 451
    days    ← 114+epact+weekday-7×late
    (1+31|days)+100×(days div 31)+100×⍵
}

⎕ ← easter 1818 1943 2000 2024 2025 2026  ⍝ 22 March, 25 April, 23 April, 31 March, 20 April, 5 April
dates ← easter ⍳n
⎕ ← ⌈/dates
⎕ ← +/10000|dates
