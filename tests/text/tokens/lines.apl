⍝ run: emit --to=tokens
⍝ Line ends (CR LF too), separators and comments; the last line has no end.
a ⍝ comment ⋄ b

b⋄c ⋄	 ⋄

⍝ the end