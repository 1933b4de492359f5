⍝ Grading at the sizes around its pieces of 32 items: sorted, stable, and a permutation.
ok←{
  v←(1+⌊⍵÷3)|(⍳⍵)×7919
  o←⍋v ⋄ s←v[o] ⋄ d←⍒v ⋄ t←v[d]
  up←∧/((1↓s)>¯1↓s)∨((1↓s)=¯1↓s)∧(1↓o)>¯1↓o
  down←∧/((1↓t)<¯1↓t)∨((1↓t)=¯1↓t)∧(1↓d)>¯1↓d
  up∧down∧∧/(⍳⍵)=o[⍋o]
}
n←⎕ArgInt 'n' 1
ok n
⍝→ 1
ok n+30
⍝→ 1
ok n+31
⍝→ 1
ok n+32
⍝→ 1
ok n+63
⍝→ 1
ok n+64
⍝→ 1
ok n+999
⍝→ 1
ok n+1023
⍝→ 1
