⍝ Scans, what is folded of their rows, and filters, of as many rows as one, two and several work-items of a processor
⍝ take, known and unknown. (Python says the same.)
⍝ also: opencl TAILOR_KERNELS=gpu
⍝ also: opencl TAILOR_SCAN=look-back
n←⎕ArgInt 'n' 20000
all←{v←1009|7919×⍳⍵ ⋄ s←+\v ⋄ (⌈/s-500×⍳⍵)(+/1000|s)(≢f)(+/(⍳≢f)×f←(3=4|v)/v)(+/≠\2|v)}
⎕←all n
⍝→ 81478 9989018 4997 6304758329 9578
⎕←all 8192
⍝→ 34262 4071675 2046 1060241207 3925
⎕←all 8193
⍝→ 34262 4072299 2046 1060241207 3925
⎕←all 5000
⍝→ 21694 2505322 1250 396040413 2394
⎕←all 40960
⍝→ 165306 20465230 10229 26410644897 19610
⎕←all 1+n-20000
⍝→ 356 856 0 0 0
⎕←all n-20000
⍝→ ¯9223372036854775808 0 0 0 0
