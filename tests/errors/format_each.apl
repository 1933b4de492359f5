⍝ Text of many items at once: only the host makes text.
{≢⍕⍵}¨⍳⎕ArgInt 'n' 4
