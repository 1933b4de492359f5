⍝ Word count: how often each word occurs in a text, the most frequent first.
⍝ test: --lines=6
⍝ gives: 4 3 2 1

lines ← ⎕ArgInt 'lines' 6
text ← 'the quick fox and the dog and the fox and the owl'

⍝ Words as numbers: each letter is a digit in base 32, and a blank ends a word.
letters ← text≠' '
word ← +\~letters                          ⍝ which word each letter belongs to
codes ← letters/(⎕UCS text)-96
keys ← (letters/word){32⊥⍵}⌸codes
counts ← {≢⍵}⌸keys
⍝ the three highest counts that differ
different ← ∪counts[⍒counts]
⎕ ← (lines⌊≢different)↑different
