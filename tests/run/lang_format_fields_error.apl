⍝ A width that is negative, known at run time only.
n ← ⎕ArgInt 'n' ¯3
⎕ ← (n,2)⍕5
⍝✗ lang_format_fields_error.apl:3:10: DOMAIN ERROR
⍝✗   ⎕ ← (n,2)⍕5
