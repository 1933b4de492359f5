/* Rows of their own lengths: functions of groups, and of numbers counted within rows; and loops whose state is what a filter
   keeps.

       ⎕←+/(1+⌊60÷⍳60){(+/⍵)-⌈/+\3|⍵}⌸1009|37×⍳60
       ⎕←+/{x←7|⍳⍵ ⋄ +/x×⌽+\x}⍤0⊢9|5×⍳20
       keep3←{(w c s k)←⍵ ⋄ w←(w>⌊(+/w)÷1⌈≢w)/w ⋄ c[1+10|w]+←1 ⋄ w←w+(3⌽w) ⋄ w c s (k+1)} */
#include "tests/random/apl_random.h"

#include <stdio.h>
#include <stdlib.h>

static Code number(AplGenerator *g, int depth);

/* As many elements as ⍵, or x, has. */
static Code elements(AplGenerator *g, int depth)
{
    Code x = depth <= 0 ? "x" : elements(g, depth - 1);
    switch (depth <= 0 ? 99 : below(g, 14)) {
    case 0: return CODE("(+\\%s)", x);
    case 1: return CODE("(⌈\\%s)", x);
    case 2: return CODE("(⌽%s)", x);
    case 3: return CODE("(%d|%s)", 2 + (int)below(g, 9), x);
    case 4: return CODE("(%d|%s×%s)", WRAP, x, elements(g, depth - 1));
    case 5: return CODE("(%s+%s)", x, elements(g, 0));
    case 6: return CODE("(%s-%s)", x, number(g, depth - 1));
    case 7: return CODE("(x×2|⍳≢%s)", x);
    case 8: return CODE("(%d⌽%s)", 1 + (int)below(g, 3), x);
    case 9: return CODE("(%s⌊⍳≢x)", x);
    case 10: {
        static const char *const sorted[] = {"x[⍋x]", "x[⍒x]", "(⍋⍋x)", "(x⍳x)", "(⍒x⍳x)"};
        return sorted[below(g, 5)];
    }
    default: return x;
    }
}

/* Of all of them. */
static Code number(AplGenerator *g, int depth)
{
    Code x = elements(g, depth);
    switch (below(g, 12)) {
    case 0:
    case 1: return CODE("(+/%s)", x);
    case 2: return CODE("(⌈/0,%s)", x);
    case 3: return CODE("(⌊/%s)", x);
    case 4: return CODE("(≢%s)", x);
    case 5: return CODE("(⊃⌽%s)", x);
    case 6: return CODE("(7⊥%d|%s)", 2 + (int)below(g, 6), x);
    case 7: return CODE("(+/%d↓%s)", (int)below(g, 3), x);
    case 8: return CODE("(+/(2|%s)/%s)", elements(g, 0), x);
    case 9: return CODE("(≢∪%s)", elements(g, 0));
    case 10: return CODE("(+/∪%s)", x);
    default: return CODE("(⌊(+/%s)÷1⌈≢x)", x);
    }
}

/* A function of a row, x, that may check positions in v. */
static Code row(AplGenerator *g)
{
    Code more = number(g, 2);
    if (chance(g, 4)) {
        more = CODE("%d>≢x: %d ⋄ %s", (int)below(g, 9), (int)below(g, 9), more);
    }
    if (chance(g, 3)) {
        more = CODE("z←%s ⋄ %s++/z×%s", elements(g, 2), more, elements(g, 1));
    }
    if (g->may_fail && chance(g, 2)) {
        return CODE("y←v%u[1+%d|x] ⋄ 0>⌈/0,y: 0 ⋄ %s", g->number, 20 + (int)below(g, 40), more);
    }
    return more;
}

/* Of w, and of numbers that go round the loop. */
static Code condition(AplGenerator *g, bool state)
{
    int a = 1 + (int)below(g, 9);
    switch (below(g, state ? 9 : 6)) {
    case 0: return CODE("(w>%d)", a);
    case 1: return CODE("(0≠%d|w)", 1 + a);
    case 2: return "(w<⌈/w)";
    case 3: return "(w≥⌊(+/w)÷1⌈≢w)";
    case 4: return "(w≠⊃w)";
    case 5: return CODE("((+\\w)>%d)", a);
    case 6: return CODE("(%d<w-k)", a);
    case 7: return CODE("(w>%d⌽w)", a);
    default: return "(2|s+w)";
    }
}

/* A view of w, of as many elements. */
static Code view(AplGenerator *g)
{
    int a = (int)below(g, 9) - 4;
    const char *sign = a < 0 ? "¯" : "";
    switch (below(g, 10)) {
    case 0: return "(⌽w)";
    case 1:
    case 2: return CODE("(%s%d⌽w)", sign, abs(a));
    case 3: return "((⊃w)⌽w)";
    case 4: return CODE("(1⌽%s%d⌽⌽w)", sign, abs(a));
    case 5: return CODE("((≢w)↑%d↓w)", abs(a));
    case 6: return CODE("((-≢w)↑%s/w)", condition(g, true));
    case 7: return CODE("((≢w)↑%d,⌽w)", abs(a));
    case 8: return CODE("((≢w)⍴3 1,w,%s%d)", sign, abs(a));
    default: return "((≢w)↑0,¯1↓w)";
    }
}

/* What goes over views. */
static Code view_step(AplGenerator *g)
{
    int a = 1 + (int)below(g, 9);
    switch (below(g, 10)) {
    case 0:
    case 1: return CODE("w←w+%s", view(g));
    case 2: return CODE("w←%d|%s-%s", 1 + a, view(g), view(g));
    case 3: return CODE("w←%s", view(g));
    case 4: return "w←w[2×⍳⌊(≢w)÷2]";
    case 5: return "w←+/((⌊(≢w)÷2) 2)⍴w";
    case 6: return CODE("w←w[1+(≢w)|%s]", view(g));
    case 7: return CODE("w←{%d<≢w: %s ⋄ w-%s}0", a, view(g), view(g));
    case 8: return CODE("w←(%d|⊃w)↓w", a);
    default:
        return g->may_fail ? CODE("w←w+%s/w", condition(g, true))
                           : CODE("s←%d|+/w×%s", WRAP, view(g));
    }
}

static Code step(AplGenerator *g)
{
    if (chance(g, 2)) {
        return view_step(g);
    }
    int a = 1 + (int)below(g, 9);
    switch (below(g, 18)) {
    case 0: return CODE("w←w+%d", a);
    case 1: return CODE("w←%d|w×7", 1 + a);
    case 2: return "w←w-⌊w÷2";
    case 3: return "w←w+⍳≢w";
    case 4: return "w←|w-⌈/w";
    case 5: return "w←13|+\\w";
    case 6: return "s←s+≢w";
    case 7: return "s←s+⊃w";
    case 8: return "s←s⌈⌈/w,0";
    case 9: return "c[1+10|w]+←1";
    case 10: return CODE("c[1+10|w]←%d", a);
    case 11: return "s←+/c";
    case 12: return "w←1↓w";
    case 13: return CODE("w←%d↑w", a);
    case 14: return CODE("w←(%d⌊≢w)↑w", a);
    case 15: return "w←⌽w";
    case 16: return g->may_fail ? CODE("w[%d]←s", a) : "w←w+s";
    default: return CODE("w←%s/w", condition(g, true));
    }
}

static void filters_in_loop(AplGenerator *g)
{
    unsigned i = g->number;
    Text text = text_create(g->arena);
    if (chance(g, 4)) {
        printf("⎕←≢{w←⍵ ⋄ %s/w}⍣≡⊢%d|37×⍳%d\n", condition(g, false), 2 + (int)below(g, 99),
               (int)below(g, 300));
    }
    text_printf(&text, "(w c s k)←⍵ ⋄ w←%s/w", condition(g, true));
    for (int64_t count = below(g, 5); count > 0; count--) {
        text_printf(&text, " ⋄ %s", step(g));
    }
    printf("keep%u←{%s ⋄ w c s (k+1)}\n", i, text_get(&text));
    printf("(w c s k)←(keep%u⍣%d) (%d|37×⍳%d) (10⍴0) 0 1\n", i, (int)below(g, 6),
           2 + (int)below(g, 99), (int)below(g, 300));
    printf("⎕←s,(≢w),(+/%d|w),c\n", WRAP);
}

void apl_lengths(AplGenerator *g)
{
    unsigned i = g->number;
    int n = (int)below(g, chance(g, 3) ? 1200 : 60);
    printf("v%u←%d|37×⍳%d\n", i, WRAP, 50);
    switch (below(g, 4)) {
    case 3: { /* columns of groups */
        static const char *const folds[] = {"+⌿⍵", "(⌈⌿⍵)-⌊⌿⍵", "⌊(+⌿⍵)÷≢⍵", "+⌿⌽⍵×⍵"};
        int columns = (int)below(g, 5);
        printf("⎕←%d|+/,(1+⌊%d÷⍳%d){%s}⌸(%d %d)⍴%d|37×⍳%d\n", WRAP, n, n, folds[below(g, 4)], n,
               columns, WRAP, n * columns);
        break;
    }
    case 0: printf("⎕←%d|+/(1+⌊%d÷⍳%d){x←⍵ ⋄ %s}⌸%d|37×⍳%d\n", WRAP, n, n, row(g), WRAP, n); break;
    case 1:
        printf("⎕←%d|+/{x←%d|⍳⍵ ⋄ %s}⍤0⊢%d,%d|5×⍳20\n", WRAP, WRAP, row(g), n,
               (int)below(g, 9) + 1);
        break;
    default: filters_in_loop(g);
    }
}
