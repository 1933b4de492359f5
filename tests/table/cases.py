"""All cases: (group, expression, expected), expected None where the model says."""
from arguments import RIGHT, TYPES, hidden
from function_cases import (monadic_scalar, dyadic_scalar, scalar_axes, complex_numbers, searches, sets, orders, intervals,
    finds, number_systems, equations, deals, formats, executions)
from structure_cases import (monadic_structural, reshapes, catenations, rotations, transposes, takes,
    selections, comparisons, replications, indexing)
from operator_cases import (reductions, eaches, operators, identities)
from rank_cases import high_ranks

def all_cases():
    for cases in (monadic_scalar, dyadic_scalar, scalar_axes, monadic_structural, reshapes, catenations, rotations, transposes, takes,
                  selections, comparisons, searches, sets, orders, intervals, finds, number_systems, equations, deals,
                  replications, reductions, eaches, operators, identities, indexing, complex_numbers, formats, executions,
                  high_ranks):
        yield from cases()


def origin_cases():
    """What depends on the index origin, with origin 0."""
    for kind in TYPES:
        v, m = hidden(RIGHT[kind]["vector"]), hidden(RIGHT[kind]["matrix"])
        for text in ("⍋%s", "⍒%s", "%s⍳%s", "%s[0]", "%s[4 0]", "%s[5]", "0⊃%s", "2⌷%s", "{⌊/⍵}⌸%s", "(0 1⌷2 2⍴%s)", "⍸%s=%s", "(⊂0 2)⌷%s"):
            yield "origin " + kind, text.replace("%s", v), None
        for text in ("%s[1;2]", "%s[;0]", "%s[1 0;]", "⌽[0]%s", "⌽[1]%s", "⊖[1]%s", "1⌽[0]%s", "0 1⍉%s", "1 0⍉%s", "0 0⍉%s", "%s,[0]%s",
                     "%s,[¯0.5]%s", "%s,[0.5]%s", "%s,[1.5]%s", "%s⍪[1]%s", "1↑[0]%s", "1↓[1]%s", ",[0 1]%s", "⍋%s", "1 0⌷%s",
                     "1⌷[1]%s", "0 1/[0]%s", "1 0 1/[1]%s", "1 0 1\\[0]%s", "⌽[2]%s", "1 2⍉%s"):
            yield "origin " + kind, text.replace("%s", m), None
    for text in ("⍳5", "⍳0", "+/[0]2 3⍴⍳6", "+/[1]2 3⍴⍳6", "+\\[0]2 3⍴⍳6", "2+/⍳5", "0 5 9⍸⍳10", "(0@1 3)⍳5", "(⍳3)∘.×⍳3",
                 "∧/(?50⍴6)∊⍳6", "(⍳9)≡{⍵[⍋⍵]}9?9", "⍸0 3 1", "'abc'⍳'cax'", "(⍳5)⍳3 7", "({⍵[0]}⍤1)2 3⍴⍳6", "?1", "+/[2]2 3⍴⍳6"):
        yield "origin int", text, None
