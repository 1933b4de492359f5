⍝ Grading at the sizes where comparing all with all ends (500) and around rows of 128 keys: sorted, stable, and a
⍝ permutation, upwards and downwards.
ok←{
  v←(1+⌊⍵÷3)|(⍳⍵)×7919
  o←⍋v ⋄ s←v[o] ⋄ d←⍒v ⋄ t←v[d]
  up←∧/((1↓s)>¯1↓s)∨((1↓s)=¯1↓s)∧(1↓o)>¯1↓o
  down←∧/((1↓t)<¯1↓t)∨((1↓t)=¯1↓t)∧(1↓d)>¯1↓d
  up∧down∧∧/(⍳⍵)=o[⍋o]
}
n←⎕ArgInt 'n' 0
sizes←n+0 1 2 127 499 500 501 511 512 513 1023 1500
step←{(k good)←⍵ ⋄ (k+1)(good∧ok sizes[k])}
2⊃(step⍣12)1 1
⍝→ 1
