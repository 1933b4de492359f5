⍝ Integers as reals, rounded once: beyond 2*53, of both signs, and at the ends of what integers are. (Vectors of them on processors that
⍝ have no such conversion are made of halves.)
z ← ⎕ArgInt 'z' 0
i ← z+⍳100
big ← 9007199254740992
even ← i+(3=4|i)-1=4|i
⎕ ← +/even=((big+i)÷1)-big÷1
⍝→ 100
⎕ ← +/even=-((-big+i)÷1)+big÷1
⍝→ 100
⎕ ← +/(i×4294967296)=⌊0.5×(8589934592×i)÷1
⍝→ 100
⎕ ← +/(i-50)=⌊((i-50)÷1)
⍝→ 100
ends ← z+9223372036854775807 ¯9223372036854775808 0 ¯1 1 4294967295 4294967296 ¯4294967296 ¯4294967297
⎕ ← (ends÷1)=(2.0*63),(-2.0*63),0 ¯1 1 4294967295 4294967296 ¯4294967296 ¯4294967297
⍝→ 1 1 1 1 1 1 1 1 1
