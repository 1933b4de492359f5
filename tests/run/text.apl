⍝ Characters and text.
⎕←'hello'
⍝→ hello
⎕←⍴'hello'
⍝→ 5
⎕←⌽'hello'
⍝→ olleh
⎕←+/'hello'='l'
⍝→ 2
⎕←'it''s'
⍝→ it's
⎕←"double"
⍝→ double
⎕←'∘⍴é'
⍝→ ∘⍴é
