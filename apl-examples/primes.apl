⍝ The sieve of Eratosthenes: how many primes there are up to n, and the last ones.
⍝ test: --n=100
⍝ gives: 25
⍝ gives: 73 79 83 89 97

n ← ⎕ArgInt 'n' 1000000

⍝ Strikes the multiples of every number up to the root, beginning with its square.
strike ← {
    (sieve p) ← ⍵
    multiples ← p×(p-1)+⍳0⌈1+(⌊n÷p)-p
    sieve[(sieve[p]∧0<≢multiples)/multiples] ← 0
    sieve (p+1)
}

(sieve last) ← (strike⍣(0⌈(⌊n*0.5)-1)) (1<⍳n) 2
primes ← ⍸sieve
⎕ ← ≢primes
⎕ ← ¯5↑primes
