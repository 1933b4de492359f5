⍝ What cannot be assigned, and assignments without a name or a value.
v←1 2 3 ⋄ w←v ⋄ k←v
3←4
'x'←5
+←3
(w 3)←1
(k (k 3))←1
v[1]←+
(a b)←-
⎕←+/
⎕NOW←3
1 v+←2
(v+1)←2
f←{⍺←}
←5
a←
z ← ← 3
(x←)+1
1 u←2
i w←3
