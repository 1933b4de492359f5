⍝ Timed runs: random numbers begin anew, and output comes once.
⍝ args: --repeat=4
a←?1000⍴100
b←?1000⍴100
⎕←∧/(a≥1),(b≤100)
⎕←'once'
⍝→ 1
⍝→ once
