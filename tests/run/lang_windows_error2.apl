⍝ A window is at most one longer than what it is of.
n ← ⎕ArgInt 'n' ¯7
n+/⍳5
⍝✗ lang_windows_error2.apl:3:3: LENGTH ERROR: 7 and 6
