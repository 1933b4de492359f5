⍝ What takes rows out is chosen by a comparison that rotates: the choice uses names from around it.
⍝ Of 16384 remainders 1 to 13 come 964 times, 14 to 16 and 0 963 times; 1 gives 1, r gives 2*18-r, 0 gives 0.
⎕ ← +/{2⊥1⌽⍵=⍳17}¨17|⍳16384
⍝→ 126350488
v ← {2⊥1⌽⍵=⍳17}¨⍳17
⎕ ← v
⍝→ 1 65536 32768 16384 8192 4096 2048 1024 512 256 128 64 32 16 8 4 2
