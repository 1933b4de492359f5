⍝ The least of infinities is an infinity, also in lanes of vectors, which begin with something: with Clang's own it was the greatest real.
x ← ⌷100⍴÷0
⎕ ← (⌊/x),⌈/-x
⍝→ ∞ ¯∞
