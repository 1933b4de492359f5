⍝ Program arguments with defaults.
⍝ args: --n=12 --x=0.5
⎕←⎕ArgInt 'n' 3
⍝→ 12
⎕←⎕ArgInt 'm' 3
⍝→ 3
⎕←2×⎕ArgDouble 'x' 1.5
⍝→ 1
⎕←⎕ArgDouble 'y' 1.5
⍝→ 1.5
