⍝ Names: values that are missing, statements that fail make what they assign unusable without a further word.
x←1 2+3 4 5
y←x+1
x
f←{z+⍵}
f 1
z←5
f 1
(a b)←1 2 3
a+b
g←{⍺+⍵}
g 1
{}1
{⍺←1}1
(p q)←2 2⍴0
h←{h ⍵-1}
h 3
⎕←+
