⍝ Grading is stable; matrices are ordered by rows.
v←3 1 4 1 5
⍋v
⍝→ 2 4 1 3 5
⍒v
⍝→ 5 3 1 2 4
v[⍋v]
⍝→ 1 1 3 4 5
⍋⍋v
⍝→ 3 1 4 2 5
⍋'banana'
⍝→ 2 4 6 1 3 5
⍋2.5 ¯1 2.5 0
⍝→ 2 4 1 3
⍋1 0 1 0
⍝→ 2 4 1 3
⍒3 3⍴'catactbat'
⍝→ 1 3 2
⍋3 2⍴2 1 1 9 1 2
⍝→ 3 2 1
⍋⍳0
⍝→
⍋2 2 2⍴8 7 6 5 4 3 2 1
⍝→ 2 1
