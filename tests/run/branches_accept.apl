⍝ also: opencl TAILOR_KERNELS=cpu
⍝ also: opencl TAILOR_COPIED_BYTES=0
⍝ Branches of which one leaves an array as it is: small ones are copied, and the device chooses; large ones change their
⍝ name, when the host has chosen (TAILOR_COPIED_BYTES=0: all are large).
n←⎕ArgInt 'n' 300
v←⍳n
⍝ a proposal is accepted where it is better, and what is best is a number of the state: 2000|… falls where it can
f←{(k e w)←⍵ ⋄ p←2000|w+k×1+k|⍳n ⋄ g←+/p ⋄ g<e: (k+1) g p ⋄ (k+1) e w}
(k e w)←f⍣40⊢1 (+/1000+v) (1000+v)
⎕←k e (+/w) (+/w×v)
⍝→ 41 286648 286648 41789074
⍝ an array and its neighbour change places
g←{(a b)←⍵ ⋄ 0=3|a[7]+⌈/b: b a ⋄ 0=5|⌈/b: (a+1) b ⋄ a (b-2)}
(a b)←g⍣30⊢v (2×v)
⎕←(+/a) (+/b)
⍝→ 90600 45150
⍝ an element changes where the other branch gives a new array, and where it gives another one that is there
h←{(k w u)←⍵ ⋄ m←⌈/w ⋄ m>400: (k+1) (w-150) u ⋄ 1=2|k: (k+1) u (w+7) ⋄ w[1+n|k]←m+60 ⋄ (k+1) w u}
(k w u)←h⍣60⊢0 v (⌽v)
⎕←k (+/w) (+/u) (+/w×v)
⍝→ 60 ¯194673 ¯198288 ¯28365303
⍝ with branches inside, which leave another array as it is; both names are used afterwards
i←{(w u)←⍵ ⋄ s←+/w ⋄ t←{0=2|s: ⍵ ⋄ 0=3|s: u ⋄ ⍵+1} w ⋄ (1009|t+s) (1009|w-u)}
(w u)←i⍣30⊢v (5×v)
⎕←(+/w) (+/u) (+/v×w+u)
⍝→ 147788 151262 45710475
⍝ what the host knows it chooses by; a number that it prints in some steps
j←{(k w)←⍵ ⋄ x←{2=3|k: ⍵ ⋄ ⍵+k} w ⋄ m←⌈/x ⋄ p←{0=20|k: ⎕←m ⋄ 0} 0 ⋄ m>500: (k+1) w ⋄ (k+1) (x+1)}
(k w)←j⍣60⊢0 v
⎕←k (+/w)
⍝→ 300
⍝→ 453
⍝→ 541
⍝→ 60 105450
