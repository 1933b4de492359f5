/* Random APL programs of loops, for comparing the backends with the interpreter.

       generate-apl SEED [PROGRAMS [STATEMENTS]]    prints one APL program on standard output

   A loop's state is a counter k, a number s, a vector w and a matrix m; a step computes with them, changes places of
   them, chooses between branches and may leave early. That is what makes scalars that stay on the device, branches
   between which it chooses, loops that it ends, state that is changed in place, and what one branch needs copied. All
   are integers that stay small, and positions are residues, so that only programs of seeds divisible by five may fail.

       step3←{(k s w m)←⍵ ⋄ w[1+n3|s]+←k ⋄ (+/w)>m[1;2]: (k+1) s w m ⋄ (k+1) (1009|s+⌈/w) (1⌽w) m}
       (k s w m)←(step3⍣7)1 5 v3 u3

   Of three programs one has a function of rows besides (apl_rows.c). */
#include "tests/random/apl_random.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_LOCALS = 8 };

int64_t below(AplGenerator *g, int64_t limit)
{
    g->state += 0x9E3779B97F4A7C15u;
    uint64_t z = g->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)limit);
}

bool chance(AplGenerator *g, int in)
{
    return below(g, in) == 0;
}

/* ---- expressions ------------------------------------------------------------------------------- */

static Code scalar(AplGenerator *g, int depth);
static Code vector(AplGenerator *g, int depth);
static Code matrix(AplGenerator *g, int depth);

/* A position along an axis of so many: `n`, `r` or `c`. */
static Code position(AplGenerator *g, const char *extent, int depth)
{
    switch (below(g, g->may_fail ? 40 : 6)) {
    case 0: return "1";
    case 1: return CODE("%s%u⌊k", extent, g->number);
    case 39: return CODE("(14|(+/w)+%s)", scalar(g, depth)); /* no constant: that fails early */
    default: return CODE("1+%s%u|%s", extent, g->number, scalar(g, depth));
    }
}

static Code element(AplGenerator *g, int depth)
{
    return chance(g, 3) ? CODE("m[%s;%s]", position(g, "r", depth), position(g, "c", depth))
                        : CODE("w[%s]", position(g, "n", depth));
}

static Code reduction(AplGenerator *g, int depth)
{
    Code of = chance(g, 4) ? CODE(",%s", matrix(g, depth)) : vector(g, depth);
    switch (below(g, 5)) {
    case 0: return CODE("(⌈/%s)", of);
    case 1: return CODE("(⌊/%s)", of);
    case 2: return CODE("(%s⍳%s)", vector(g, depth), scalar(g, depth));
    case 3: return CODE("(w⍳⌈/w)");
    default: return CODE("(%d|+/%s)", WRAP, of);
    }
}

static Code scalar(AplGenerator *g, int depth)
{
    static const char *const operators[] = {"+", "-", "⌈", "⌊", ">", "=", "≤"};
    if (depth == 0 || chance(g, 5)) {
        switch (below(g, 4)) {
        case 0: return CODE("%d", (int)below(g, 12));
        case 1: return "k";
        case 2: return g->scalars ? CODE("a%d", 1 + (int)below(g, (int64_t)g->scalars)) : "s";
        default: return "s";
        }
    }
    switch (below(g, 8)) {
    case 0:
    case 1: return element(g, depth - 1);
    case 2:
    case 3: return reduction(g, depth - 1);
    case 4: return CODE("(%d|%s×%s)", WRAP, scalar(g, depth - 1), scalar(g, depth - 1));
    case 5: return CODE("(%d|%s)", 2 + (int)below(g, 9), scalar(g, depth - 1));
    default:
        return CODE("(%s%s%s)", scalar(g, depth - 1), operators[below(g, 7)], scalar(g, depth - 1));
    }
}

static Code vector(AplGenerator *g, int depth)
{
    static const char *const operators[] = {"+", "-", "⌈", "⌊", ">", "="};
    if (depth == 0 || chance(g, 3)) {
        switch (below(g, 5)) {
        case 0: return CODE("v%u", g->number);
        case 1: return CODE("(⍳n%u)", g->number);
        case 2: return g->vectors ? CODE("x%d", 1 + (int)below(g, (int64_t)g->vectors)) : "w";
        default: return "w";
        }
    }
    Code x = vector(g, depth - 1);
    switch (below(g, 10)) {
    case 0: return CODE("(⌽%s)", x);
    case 1: return CODE("((%s)⌽%s)", position(g, "n", depth - 1), x);
    case 2: return CODE("(%d|%s×%s)", WRAP, x, scalar(g, depth - 1));
    case 3: return CODE("(%d|+\\%s)", WRAP, x);
    case 4: return CODE("(w[1+n%u|%s])", g->number, x);
    case 5: return CODE("(n%u⍴,%s)", g->number, matrix(g, depth - 1));
    case 6:
        return CODE("({⍵>%s: %s ⋄ ⍵+%d}¨%s)", scalar(g, 0), scalar(g, depth - 1), (int)below(g, 5),
                    x);
    case 7: return CODE("(%s%s%s)", x, operators[below(g, 6)], vector(g, depth - 1));
    default: return CODE("(%s%s%s)", scalar(g, depth - 1), operators[below(g, 6)], x);
    }
}

static Code matrix(AplGenerator *g, int depth)
{
    if (depth == 0 || chance(g, 3)) {
        return chance(g, 4) ? CODE("u%u", g->number) : "m";
    }
    Code x = matrix(g, depth - 1);
    switch (below(g, 7)) {
    case 0: return CODE("(⌽%s)", x);
    case 1: return CODE("((%s)⊖%s)", position(g, "r", depth - 1), x);
    case 2: return CODE("(%d|%s×%s)", WRAP, x, scalar(g, depth - 1));
    case 3: return CODE("(%s-%s)", x, matrix(g, depth - 1));
    case 4: return CODE("(%d|+⍀%s)", WRAP, x);
    case 5: return CODE("(r%u c%u⍴%s)", g->number, g->number, vector(g, depth - 1));
    default: return CODE("(%s⌈%s)", scalar(g, depth - 1), x);
    }
}

static Code condition(AplGenerator *g)
{
    switch (below(g, 4)) {
    case 0: return CODE("0=%d|%s", 2 + (int)below(g, 3), scalar(g, 1));
    case 1: return CODE("%s=%s", element(g, 1), scalar(g, 1));
    default: return CODE("%s>%s", scalar(g, 2), scalar(g, 1));
    }
}

/* ---- statements -------------------------------------------------------------------------------- */

static Code change_of_vector(AplGenerator *g)
{
    Code at = position(g, "n", 2), x = scalar(g, 2);
    static const char *const functions[] = {"+", "-", "⌈", "⌊", "{13|⍺+3×⍵}", "{⍵⊣⍺}"};
    switch (below(g, 20)) {
    case 16: return CODE("w[1+⍳0⌈n%u-2]←1↓¯1↓%s", g->number, vector(g, 2));
    case 17: return CODE("(%s↓w)%s←%s", chance(g, 2) ? "1" : "¯2", chance(g, 2) ? "" : "+", x);
    case 18: return CODE("(1↓¯1↓w)←(1↓¯1↓%s)-¯2↓%s", vector(g, 1), vector(g, 1));
    case 19: return CODE("w←⌷%s", vector(g, 2));
    case 9: return CODE("w[⍸%s>%s]←%s", vector(g, 2), scalar(g, 1), x);
    case 10:
        return CODE("t←⍸%s<%s ⋄ w[t]←%d|(w[t]+%s)-(%s)[t]", vector(g, 2), scalar(g, 1), WRAP, x,
                    vector(g, 1));
    case 11:
        return CODE("((%s>%s)/w)%s←%s", vector(g, 2), scalar(g, 1), chance(g, 2) ? "" : "+", x);
    case 12: return CODE("w[%s%s]←%s", chance(g, 2) ? "⍋" : "⌽⍒", vector(g, 2), vector(g, 1));
    case 13: return CODE("((%s)%sw)←%s", at, chance(g, 2) ? "↑" : "↓", x);
    case 14:
        return CODE("w[1+n%u|(%s>%s)/%s]%s←%s", g->number, vector(g, 1), scalar(g, 1), vector(g, 1),
                    chance(g, 2) ? "" : "+", x);
    case 15:
        return CODE("t←(%s≥%s)/⍳n%u ⋄ w[t]%s←(%s)[t]", vector(g, 1), scalar(g, 1), g->number,
                    chance(g, 2) ? "" : "+", vector(g, 1));
    case 8:
        return CODE("w[1+n%u|%s]%s←%s", g->number, vector(g, 1), functions[below(g, 6)],
                    below(g, 3) ? vector(g, 1) : x);
    case 0: return CODE("w[%s]+←%s", at, x);
    case 1:
        return CODE("w[(%s) (%s)]←w[(%s) (%s)]", at, position(g, "n", 1), position(g, "n", 1),
                    position(g, "n", 1));
    case 2: return CODE("w[⍳%s]←%s", at, x);
    case 3: return CODE("w[k×⍳⌊n%u÷k]←%s", g->number, x);
    case 4: return CODE("w[1+n%u|%s]←%s", g->number, vector(g, 1), x);
    case 5: return CODE("w[1+n%u|%s]←%s", g->number, vector(g, 1), vector(g, 1));
    case 6: return CODE("w←%s@{⍵>%s}w", x, scalar(g, 1));
    default: return CODE("w[%s]←%s", at, x);
    }
}

static Code change_of_matrix(AplGenerator *g)
{
    Code row = position(g, "r", 1), other = position(g, "r", 1);
    unsigned n = g->number;
    switch (below(g, 11)) {
    case 7:
        return CODE("m[1+⍳0⌈r%u-2;1+⍳0⌈c%u-2]←%s", n, n,
                    chance(g, 3) ? scalar(g, 1) : CODE("1 1↓¯1 ¯1↓%s", matrix(g, 2)));
    case 8: return CODE("(1 1↓¯1 ¯1↓m)←(2 1↓0 ¯1↓%s)-¯2 ¯1↓0 1↓m", matrix(g, 1));
    case 9: return CODE("m[;2×⍳⌊c%u÷2]%s←%s", n, chance(g, 2) ? "" : "+", scalar(g, 1));
    case 10: return CODE("(1 0↓m)%s←%s", chance(g, 2) ? "" : "-", scalar(g, 1));
    case 5: return CODE("(1 1⍉m)←%s", scalar(g, 1));
    case 6: return CODE("((,%s>%s)/,m)←%s", matrix(g, 1), scalar(g, 1), scalar(g, 1));
    case 0: return CODE("t←m[%s;] ⋄ m[%s;]←m[%s;] ⋄ m[%s;]←t", row, row, other, other);
    case 1: return CODE("m[%s;]←%s", row, scalar(g, 1));
    case 2: return CODE("m[;%s]←%s", position(g, "c", 1), scalar(g, 1));
    case 3: return CODE("m[(%s) (%s);]←m[(%s) (%s);]", row, other, other, row);
    default: return CODE("m[%s;%s]←%s", row, position(g, "c", 1), scalar(g, 2));
    }
}

/* The state of the next step. */
static Code next(AplGenerator *g)
{
    Code s = chance(g, 2) ? "s" : CODE("(%d|%s)", WRAP, scalar(g, 2));
    Code w = chance(g, 2) ? "w" : CODE("(%d|%s)", WRAP, vector(g, 2));
    Code m = chance(g, 2) ? "m" : CODE("(%d|%s)", WRAP, matrix(g, 1));
    return CODE("(k+1) %s %s %s", s, w, m);
}

static Code statement(AplGenerator *g)
{
    Code change = chance(g, 2) ? change_of_vector(g) : change_of_matrix(g);
    switch (below(g, 12)) {
    case 0: {
        Code x = chance(g, 2) ? element(g, 1) : scalar(g, 2);
        g->scalars += g->scalars < MOST_LOCALS;
        return CODE("a%u←%s", g->scalars, x);
    }
    case 1: {
        Code x = vector(g, 2);
        g->vectors += g->vectors < MOST_LOCALS;
        return CODE("x%u←%s", g->vectors, x);
    }
    case 2: return CODE("w←%d|%s", WRAP, vector(g, 2));
    case 3: return CODE("m←%d|%s", WRAP, matrix(g, 2));
    case 4: return CODE("s←%d|%s", WRAP, scalar(g, 2));
    case 6: return CODE("⎕←%s", scalar(g, 0)); /* what the host has to know, as below */
    case 7: return CODE("w←({%s+⍵}⍣(4|%s))w", scalar(g, 0), scalar(g, 1));
    case 8: return CODE("w[%s]←%s", position(g, "n", 1), reduction(g, 1));
    case 5: return CODE("w←{%s: %s ⋄ ⍵}w", condition(g), vector(g, 2));
    default: return change;
    }
}

/* ---- programs ---------------------------------------------------------------------------------- */

static Code body(AplGenerator *g, int statements, Code end, Code leaving)
{
    Text text = text_create(g->arena);
    g->scalars = g->vectors = 0;
    text_printf(&text, "{(k s w m)←⍵");
    if (leaving)
        text_printf(&text, " ⋄ %s", leaving);
    for (int i = 0; i < statements; i++) {
        text_printf(&text, " ⋄ %s", statement(g));
        if (chance(g, 5))
            text_printf(&text, " ⋄ %s: %s%s", condition(g), end, next(g));
    }
    text_printf(&text, " ⋄ %s%s}", end, next(g));
    g->scalars = g->vectors = 0;
    return text_get(&text);
}

static void one_program(AplGenerator *g, int statements)
{
    unsigned i = g->number;
    int64_t n = chance(g, 3) ? 2100 + below(g, 3000) : 1 + below(g, chance(g, 2) ? 300 : 12);
    int64_t rows = 1 + below(g, 12), columns = 1 + below(g, chance(g, 3) ? 300 : 9);
    int steps = 1 + (int)below(g, 12);
    printf("n%u←%d ⋄ r%u←%d ⋄ c%u←%d\n", i, (int)n, i, (int)rows, i, (int)columns);
    printf("v%u←%d|%d×⍳n%u ⋄ u%u←r%u c%u⍴%d|7919×⍳r%u×c%u\n", i, WRAP, 1 + (int)below(g, 9999), i,
           i, i, i, WRAP, i, i);
    switch (below(g, 4)) {
    case 0: /* calls itself last */
        printf("step%u←%s\n", i, body(g, statements, "∇ ", CODE("k>%d: k s w m", steps)));
        printf("(k s w m)←step%u 1 3 v%u u%u\n", i, i, i);
        break;
    case 1: /* ends when something holds, and not before it has begun */
        printf("step%u←%s\n", i, body(g, statements, "", NULL));
        printf("(k s w m)←(step%u⍣{(k s w m)←⍺ ⋄ (k>%d)∨%s})1 3 v%u u%u\n", i, steps, condition(g),
               i, i);
        break;
    default:
        printf("step%u←%s\n", i, body(g, statements, "", NULL));
        printf("(k s w m)←(step%u⍣%d)1 3 v%u u%u\n", i, steps, i, i);
    }
    printf("⎕←k,s,(+/w),(+/w×⍳n%u),(+/,m),+/+/m×⍤1⊢⍳c%u\n", i, i);
    if (chance(g, 3))
        apl_rows(g);
    if (chance(g, 2))
        apl_lengths(g);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int programs = argc > 2 ? atoi(argv[2]) : 1;
    int statements = argc > 3 ? atoi(argv[3]) : 6;
    AplGenerator g = {.arena = arena_create()};
    for (int i = 0; i < programs; i++) {
        g.number = (unsigned)(seed + (uint64_t)i);
        g.state = (seed + (uint64_t)i) * 0x2545F4914F6CDD1Du;
        g.may_fail = (seed + (uint64_t)i) % 5 == 0;
        one_program(&g, statements / 2 + (int)below(&g, statements));
    }
    arena_destroy(g.arena);
    return 0;
}
