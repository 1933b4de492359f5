⍝ Rows known to the compiler beside one that it appends: GCC 12 makes vectors of masked loads of such loops.
a←8 4⍴4 2 1 1 4 3 2 2 2 4 1 2 4 3 2 1 4 3 2 4 2 4 4 3 4 3 3 4 4 2 1 4
k←⎕ArgInt 'k' 5
r←((a⍪7)<k)∘.-7 2
⍴r
⍝→ 9 4 2
⍝ all of a are less than 5, 7 is not
r≡(8 4 2⍴¯6 ¯1)⍪4 2⍴¯7 ¯2
⍝→ 1
b←5 2⍴⍳10
s←((b⍪0)+k)∘.+7 2 9 1
+/,s
⍝→ 688
s[5 6;;]
⍝→ 21 16 23 15
⍝→ 22 17 24 16
⍝→
⍝→ 12  7 14  6
⍝→ 12  7 14  6
