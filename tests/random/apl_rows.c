/* Functions of rows, and of matrices, of arrays with two to four axes: scans, sorts, loops that rows count or end, branches
   within branches, and rows that are changed in place after they have been read.

       row3←{(2|+/⍵)>0: +\⍵ ⋄ {r←⍵[⍋⍵] ⋄ h←r[1] ⋄ r[1]←7 ⋄ h+r}⌽⍵}
       ⎕←+/,1009|(row3⍤1) 2 5 70⍴1009|37×⍳700 */
#include "tests/random/apl_random.h"

#include <stdio.h>

static Code vector(AplGenerator *g, int depth);

/* A number of the row. */
static Code number(AplGenerator *g, int depth)
{
    switch (below(g, 6)) {
    case 0: return CODE("(+/%s)", vector(g, depth));
    case 1: return CODE("(⌈/%s)", vector(g, depth));
    case 2: return CODE("(%d|⊃⍵)", 2 + (int)below(g, 6));
    case 3: return CODE("(≢∪5|%s)", vector(g, depth - 1));
    case 4: return CODE("(⌊/7|%s)", vector(g, depth));
    default: return CODE("(⊃%s)", vector(g, depth));
    }
}

static Code position(AplGenerator *g)
{
    return CODE("1+(≢r)|%d", (int)below(g, 5));
}

/* A position that has to be checked; in programs that may fail some are out of bounds. */
static Code checked(AplGenerator *g)
{
    switch (below(g, 4)) {
    case 0: return g->may_fail ? CODE("1+%d|⌈/r", 2 + (int)below(g, 40)) : "r⍳⌈/r";
    case 1: return "r⍳⌊/r";
    case 2: return CODE("⌈/r×r=%d⌊⌊/r", 1 + (int)below(g, 9));
    default: return "r⍳⌈/r";
    }
}

/* Rows that are read, and changed, at such positions. */
static Code changed(AplGenerator *g, int depth)
{
    Code x = vector(g, depth - 1), p = g->may_fail ? checked(g) : "r⍳⌈/r";
    int times = (int)below(g, 4);
    switch (below(g, 6)) {
    case 0: return CODE("({⍵[⍵⍳⌽⍵]}⍣%d⊢%s)", times, x);
    case 1: return CODE("({r←⍵ ⋄ r[%s]←%s ⋄ r}%s)", p, number(g, depth - 1), x);
    case 2: return CODE("({r←⍵ ⋄ r[%s]←r[r⍳⌊/r] ⋄ %d|r+⌽r}⍣%d⊢%s)", p, WRAP, times, x);
    case 3: return CODE("({r←⍵ ⋄ y←r[%s] ⋄ z←r[r⍳⌊/r+y] ⋄ z+%s}%s)", p, x, x);
    case 4: return CODE("({r←⍵ ⋄ r[⍳2⌊≢r]←%s ⋄ ⌽r}%s)", number(g, 0), x);
    default:
        return g->may_fail ? CODE("({⍵[1+%d|⍵]}%s)", 2 + (int)below(g, 50), x)
                           : CODE("({r←%s ⋄ r[%s]+←r[r⍳⌊/r] ⋄ r}⍵)", x, p);
    }
}

/* Guards, and what comes behind them. */
static Code branches(AplGenerator *g, int depth)
{
    Code code = vector(g, depth);
    for (int64_t i = below(g, 3); i > 0; i--) {
        code = CODE("%d<%d|%s: %s ⋄ %s", (int)below(g, 3), 2 + (int)below(g, 4),
                    number(g, depth - 1), vector(g, depth), code);
    }
    return code;
}

/* A vector as long as the row. */
static Code vector(AplGenerator *g, int depth)
{
    if (depth <= 0) {
        return "⍵";
    }
    Code x = vector(g, depth - 1);
    switch (below(g, 20)) {
    case 0: return CODE("(+\\%s)", x);
    case 1: return CODE("(⌈\\%s)", x);
    case 2: return CODE("(⌽%s)", x);
    case 3: return CODE("(%d⌽%s)", 1 + (int)below(g, 3), x);
    case 4: return CODE("(%d|%s)", 2 + (int)below(g, 7), x);
    case 5: return CODE("(%s+%s)", x, vector(g, depth - 1));
    case 6: return CODE("({⍵[⍋⍵]}%s)", x);
    case 7: return CODE("(%s+%s)", number(g, depth - 1), x);
    case 8: return CODE("({⌊(⍵+1⌽⍵)÷2}⍣%d⊢%d|%s)", (int)below(g, 4), WRAP, x);
    case 9: return CODE("({⌊⍵÷2}⍣≡%d|%s)", WRAP, x);
    case 10:
    case 11: return CODE("({%s}%s)", branches(g, depth - 1), x);
    case 12: return CODE("(%d|%s×%s)", WRAP, x, vector(g, depth - 1));
    case 13: return CODE("({%s}⍣(4|%s)⊢%d|%s)", vector(g, 1), number(g, 1), WRAP, x);
    case 14:
        return CODE("({r←%s ⋄ h←r[%s] ⋄ r[%s]←%s ⋄ h+r}⍵)", x, position(g), position(g),
                    number(g, 0));
    case 15: return CODE("({r←⍵ ⋄ f←⌽r ⋄ r[%s]+←7 ⋄ f+r}%s)", position(g), x);
    case 16: return CODE("(%s⌈%s)", x, vector(g, depth - 1));
    default: return changed(g, depth);
    }
}

void apl_rows(AplGenerator *g)
{
    unsigned i = g->number;
    int axes = 2 + (int)below(g, 3);
    int columns = (int)(chance(g, 3) ? 64 + below(g, 300) : 1 + below(g, 40));
    Code shape = CODE("%d", columns);
    for (int axis = 1; axis < axes; axis++) {
        shape = CODE("%d %s", (int)below(g, 6), shape);
    }
    printf("row%u←{%s}\n", i, branches(g, 3));
    printf("cube%u←%s⍴%d|37×⍳%d\n", i, shape, WRAP, columns * 7);
    if (axes > 2 && chance(g, 3)) { /* what belongs to a matrix goes into each of its rows */
        printf("cube%u←({t←7|+/,⍵ ⋄ {t+row%u ⍵}⍤1⊢⍵}⍤2) cube%u\n", i, i, i);
    } else {
        printf("cube%u←(row%u⍤1) cube%u\n", i, i, i);
    }
    printf("⎕←(⍴cube%u),+/,(%d|cube%u)×(⍴cube%u)⍴⍳13\n", i, WRAP, i, i);
}
