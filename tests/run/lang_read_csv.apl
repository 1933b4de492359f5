⍝ Tables of numbers: rows of as many numbers each.
t ← ⎕ReadCSVInt 'data/table.csv'
⎕ ← t
⍝→  1 2  3
⍝→ ¯4 5  6
⍝→  7 8 ¯9
⎕ ← ⍴t
⍝→ 3 3
⎕ ← +⌿t
⍝→ 4 15 0
⎕ ← ⎕ReadCSVDouble 'data/reals.csv'
⍝→ 1.5   2
⍝→ 3   400
⎕ ← (⎕ReadCSVDouble 'data/reals.csv')+.×⎕ReadCSVDouble 'data/reals.csv'
⍝→    8.25    803
⍝→ 1204.5  160006
⎕ ← ⍴⎕ReadCSVInt 'data/empty.csv'
⍝→ 0 0
⎕ ← ⎕ReadCSVInt 'data/ragged.csv'
⍝✗ lang_read_csv.apl:19:5: DOMAIN ERROR: data/ragged.csv:2: 1 number in a row, not 2
⍝✗   ⎕ ← ⎕ReadCSVInt 'data/ragged.csv'
