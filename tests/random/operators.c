/* Associative operators for random reductions, scans and histograms: single operators, products of
   2x2 matrices of wrapping integers, the last number that is not zero, and the place of the
   largest. */
#include "tests/random/random.h"

static CoreAtom both(CoreBuilder *b, CoreOperator op, CoreAtom x, CoreAtom y)
{
    return core_let_binary(b, "v", op, x, y);
}

static void make_lambda(Generator *g, Operator *o, CoreName **parameters, CoreBuilder *b,
                        const CoreAtom *results)
{
    o->function = core_lambda(g->c, 2 * o->parts, parameters, core_body(b, o->parts, results));
}

/* (a b; c d) times (e f; g h). */
static void matrix(CoreBuilder *b, CoreName **p, CoreAtom *results)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            CoreAtom x = both(b, CORE_MUL, core_use(p[2 * i]), core_use(p[4 + j]));
            CoreAtom y = both(b, CORE_MUL, core_use(p[2 * i + 1]), core_use(p[6 + j]));
            results[2 * i + j] = both(b, CORE_ADD, x, y);
        }
    }
}

static void choose(Generator *g, CoreBuilder *b, CoreAtom condition, size_t parts,
                   const CoreAtom *yes, const CoreAtom *no, CorePrim prim, CoreAtom *results)
{
    CoreBuilder first = core_builder(g->c, b->span), second = core_builder(g->c, b->span);
    const CoreBody *then_body = core_body(&first, parts, yes);
    const CoreBody *else_body = core_body(&second, parts, no);
    CoreName *pattern[MAX_PARTS];
    for (size_t i = 0; i < parts; i++) {
        pattern[i] = core_name(g->c, "w", core_scalar(prim), b->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(b, parts, pattern, core_exp_if(g->c, condition, then_body, else_body));
}

static void last_not_zero(Generator *g, CoreBuilder *b, CoreName **p, CorePrim prim,
                          CoreAtom *results)
{
    CoreAtom x = core_use(p[0]), y = core_use(p[1]);
    choose(g, b, both(b, CORE_NE, y, core_int(prim, 0)), 1, &y, &x, prim, results);
}

/* (value, place) and (value, place): the larger value, of equal ones the smaller place. */
static void place_of_largest(Generator *g, CoreBuilder *b, CoreName **p, CorePrim prim,
                             CoreAtom *results)
{
    CoreAtom x[2] = {core_use(p[0]), core_use(p[1])}, y[2] = {core_use(p[2]), core_use(p[3])};
    CoreAtom larger = both(b, CORE_GT, x[0], y[0]), equal = both(b, CORE_EQ, x[0], y[0]);
    CoreAtom before = both(b, CORE_LE, x[1], y[1]);
    CoreAtom first = both(b, CORE_OR, larger, both(b, CORE_AND, equal, before));
    choose(g, b, first, 2, x, y, prim, results);
}

static int64_t least(CorePrim prim)
{
    return prim == CORE_I32 ? INT32_MIN : INT64_MIN;
}

static int64_t greatest(CorePrim prim)
{
    return prim == CORE_I32 ? INT32_MAX : INT64_MAX;
}

static Operator single(Generator *g)
{
    static const CoreOperator ints[] = {CORE_ADD, CORE_ADD, CORE_MUL, CORE_MIN,
                                        CORE_MAX, CORE_AND, CORE_OR,  CORE_XOR};
    static const CoreOperator bools[] = {CORE_AND, CORE_OR, CORE_XOR};
    Operator o = {.parts = 1, .prim = chance(g, 4) ? CORE_BOOL : some_int(g)};
    CoreOperator op = o.prim == CORE_BOOL ? bools[below(g, 3)] : ints[below(g, 8)];
    if (!core_operator_identity(op, o.prim, &o.neutral[0])) {
        o.neutral[0] = core_int(o.prim, op == CORE_MAX ? least(o.prim) : greatest(o.prim));
    }
    o.is_single = true;
    o.op = op;
    o.commutative = !chance(g, 4);
    o.function = core_operator_lambda(g->c, op, o.prim, (Span){0});
    return o;
}

Operator some_operator(Generator *g)
{
    int64_t kind = below(g, 6);
    if (kind < 3) {
        return single(g);
    }
    Operator o = {.parts = kind == 3 ? 4 : kind == 4 ? 1 : 2, .prim = some_int(g)};
    CoreName *p[2 * MAX_PARTS];
    for (size_t i = 0; i < 2 * o.parts; i++) {
        p[i] = core_name(g->c, "a", core_scalar(o.prim), (Span){0});
    }
    CoreBuilder b = core_builder(g->c, (Span){0});
    CoreAtom results[MAX_PARTS];
    if (kind == 3) {
        matrix(&b, p, results);
        for (int i = 0; i < 4; i++) {
            o.neutral[i] = core_int(o.prim, i == 0 || i == 3);
        }
    } else if (kind == 4) {
        last_not_zero(g, &b, p, o.prim, results);
        o.neutral[0] = core_int(o.prim, 0);
    } else {
        place_of_largest(g, &b, p, o.prim, results);
        o.neutral[0] = core_int(o.prim, least(o.prim));
        o.neutral[1] = core_int(o.prim, greatest(o.prim));
        o.commutative = true;
    }
    make_lambda(g, &o, p, &b, results);
    return o;
}
