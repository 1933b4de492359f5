⍝ What is left of a SOAC of one row, whose assertions had stages, are statements of the host's, which have none.
k←7 6
⎕←{≢⍵}⌸(3|k)/k
⍝→ 1
