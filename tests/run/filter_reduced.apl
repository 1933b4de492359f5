⍝ Filters whose rows are only reduced, counted or filtered again; none kept, all kept, empty; -0, order of operands.
v←⎕ReadIntVecFile 'data/filter_reduced.txt'
⎕←+/(v>0)/v
⍝→ 15
⎕←⌈/(v>9)/v
⍝→ ¯9223372036854775808
⎕←≢(v≤9)/v
⍝→ 8
⎕←(+/w)÷≢w←(v>1)/v
⍝→ 3.5
⎕←+/(0=2|w)/w
⍝→ 6
⎕←+/10÷(v≠0)/v
⍝→ 19
⎕←≢(v>0)/(≢v)⍴7
⍝→ 5
⎕←+/((0×v)≠0)/v
⍝→ 0
⍝ The kept ones are needed themselves, too.
u←(v>0)/v
⎕←(+/u),u
⍝→ 15 1 2 3 4 5
⎕←-/(v≠0)/v
⍝→ ¯28
