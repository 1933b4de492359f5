⍝ Results of a guard that do not go together: named are the items that differ, also where one is an assignment.
{⍵>2:⎕←'big' ⋄ ⍵}¨⍳3
{⍵>2:'a' (2 3) ⋄ 'a' 'bc'}⎕ArgInt 'n' 3
