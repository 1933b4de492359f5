⍝ An empty cell is no number.
⎕ ← +/,⎕ReadCSVDouble 'data/hole.csv'
⍝✗ lang_read_csv_hole.apl:2:8: DOMAIN ERROR: data/hole.csv:2: '' is no number: an empty cell
