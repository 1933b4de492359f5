⍝ run: emit --to=tokens
a*b⋆c-d−e∊f∈g~h∼i|j∣k ⋄ ∆x∘.×⍙y ⍝ the same glyph from several code points
⎕ ⎕IO ⍺⍺ ⍵⍵ ∇ ⍬
