⍝ A place that a step of a loop which the device ends does not have, though the host runs ahead: the step that fails is done.
n ← ⎕ArgInt 'n' 40
run ← {(b h i)←⍵ ⋄ c←b+1 ⋄ h[i]←+/c ⋄ 30≤⌈/c: +/h ⋄ ∇ c h (i+1)}
⎕ ← run (n⍴0)(30⍴0) 1
⍝→ 18600
⎕ ← run (n⍴0)(29⍴0) 1
⍝✗ ahead_written_error.apl:3:28:
⍝✗ INDEX ERROR: 30 of 29
