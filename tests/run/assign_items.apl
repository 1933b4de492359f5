⍝ Several items of nested items are assigned, one after the other; what is enclosed goes to each.
a←(1 2)(3 4)(5 6 7)
a[1 2]←5 6
a
⍝→ 5
⍝→ 6
⍝→ 5 6 7
a[1 3]←(7 8)'text'
a
⍝→ 7 8
⍝→ 6
⍝→ text
a[1 2]+←1
a
⍝→ 8 9
⍝→ 7
⍝→ text
a[2 1]←⊂9 9
a
⍝→ 9 9
⍝→ 9 9
⍝→ text
a[1 1]+←1 2
a
⍝→ 12 12
⍝→ 9 9
⍝→ text
a[⍬]←3
≢a
⍝→ 3
