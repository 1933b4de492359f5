⍝ Numbers that kernels alone need stay on the device, in loops too; so do those that arithmetic makes of them.
⍝ also: opencl TAILOR_KERNELS=cpu
n←⎕ArgInt 'n' 1000
v←1+⍳n
⎕←⌊0.5+1E6×+/({⍵÷+/⍵}⍣10)v
⍝→ 1000000
⎕←+/({⍵-⌊/⍵}⍣3)v
⍝→ 499500
⎕←+/({⍵-⍵[1]}⍣3)v
⍝→ 499500
⎕←+/({1000|⍵+(⌈/⍵)-⍵[2]}⍣5)v
⍝ In numpy: v=np.arange(2,1002); five times v=(v+v.max()-v[1])%1000; v.sum().
⍝→ 499500
⍝ What is read changes before it is used: an element that is then overwritten.
a←v
first←a[1]
a[1]←n
⎕←+/a×first
⍝→ 1004996
⍝ The host needs it as well.
s←⌈/v
⎕←s
⍝→ 1001
⎕←+/v=s
⍝→ 1
