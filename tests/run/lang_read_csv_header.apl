⍝ A table has numbers only.
⎕ ← ⎕ReadCSVInt 'data/header.csv'
⍝✗ lang_read_csv_header.apl:2:5: DOMAIN ERROR: data/header.csv:1: 'a' is not a number
