/* Random operators: scalar arithmetic, and associative operators for reductions, scans and
   histograms: single operators, products of 2x2 matrices of wrapping integers, the last number that
   is not zero, and the place of the largest.

   Reals meet only operations whose results are exact on every device. What differs in the last
   places (sine, power and the like) is compared with a number that is no exact result of it.
   Reductions of reals are of small whole numbers (tame). */
#include "tests/random/random.h"

#include <math.h>

/* ---- scalars --------------------------------------------------------------------------------- */

static CoreOperator some_of(Generator *g, const CoreOperator *ops, size_t count)
{
    return ops[below(g, (int64_t)count)];
}
#define SOME_OF(g, ops) some_of(g, ops, sizeof(ops) / sizeof *(ops))

static CoreOperator some_binary(Generator *g, CorePrim prim)
{
    static const CoreOperator plain[] = {CORE_ADD, CORE_SUB, CORE_MUL};
    static const CoreOperator ints[] = {CORE_DIV, CORE_MOD, CORE_MAX, CORE_MIN, CORE_GCD, CORE_LCM,
                                        CORE_AND, CORE_OR,  CORE_XOR, CORE_SHL, CORE_SHR, CORE_SAR,
                                        CORE_EQ,  CORE_NE,  CORE_LT,  CORE_LE,  CORE_GT,  CORE_GE};
    static const CoreOperator bools[] = {CORE_AND, CORE_OR, CORE_XOR, CORE_EQ, CORE_NE,
                                         CORE_LT,  CORE_LE, CORE_GT,  CORE_GE};
    static const CoreOperator chars[] = {CORE_EQ, CORE_NE, CORE_LT, CORE_LE, CORE_GT, CORE_GE};
    static const CoreOperator reals[] = {CORE_DIV, CORE_MOD, CORE_MAX, CORE_MIN, CORE_EQ,
                                         CORE_NE,  CORE_LT,  CORE_LE,  CORE_GT,  CORE_GE};
    switch (prim) {
    case CORE_BOOL: return SOME_OF(g, bools);
    case CORE_CHAR: return SOME_OF(g, chars);
    case CORE_I32:
    case CORE_I64:
        if (prim == CORE_I64 && chance(g, 40)) {
            return CORE_RANDOM;
        }
        return chance(g, 2) ? SOME_OF(g, plain) : SOME_OF(g, ints);
    case CORE_F32: return chance(g, 2) ? SOME_OF(g, plain) : SOME_OF(g, reals);
    case CORE_F64: return chance(g, 2) ? SOME_OF(g, plain) : SOME_OF(g, reals);
    case CORE_CERT: break;
    }
    internal_error(g->c, "an operator of certificates");
}

/* An operator with two operands of a prim, whose result is bound and kept. */
CoreAtom combine(Generator *g, CoreBuilder *b, CorePrim prim)
{
    CoreAtom x = some_scalar(g, b, prim), y = some_scalar(g, b, prim);
    CoreAtom z = core_let_binary(b, "z", some_binary(g, prim), x, y);
    keep_scalar(g, z);
    return z;
}

/* Whether a function whose last places may differ is beyond a number. */
static void make_approximate(Generator *g, CoreBuilder *b)
{
    static const CoreOperator unary[] = {CORE_EXP,  CORE_LOG,   CORE_SIN,   CORE_COS,   CORE_TAN,
                                         CORE_ASIN, CORE_ACOS,  CORE_ATAN,  CORE_SINH,  CORE_COSH,
                                         CORE_TANH, CORE_ASINH, CORE_ACOSH, CORE_ATANH, CORE_FACT};
    static const CoreOperator binary[] = {CORE_POW, CORE_BINOM, CORE_ATAN2, CORE_HYPOT,
                                          CORE_UNLESS_NAN};
    CoreAtom x = some_scalar(g, b, CORE_F64), y;
    if (chance(g, 5)) {
        y = core_let_binary(b, "f", SOME_OF(g, binary), x, some_scalar(g, b, CORE_F64));
    } else {
        y = core_let_unary(b, "f", SOME_OF(g, unary), x);
    }
    keep_scalar(g, core_let_binary(b, "p", chance(g, 2) ? CORE_LT : CORE_GT, y,
                                   core_real(CORE_F64, 0.33712)));
}

static void make_unary(Generator *g, CoreBuilder *b)
{
    static const CoreOperator numbers[] = {CORE_NEG, CORE_ABS, CORE_SIGN};
    static const CoreOperator reals[] = {CORE_FLOOR, CORE_CEIL, CORE_VIA_I64, CORE_SQRT};
    CorePrim prim = some_prim(g);
    CoreOperator op = SOME_OF(g, numbers);
    if (prim == CORE_BOOL || (core_is_int(prim) && chance(g, 4))) {
        op = CORE_NOT;
    } else if (prim == CORE_CHAR) {
        prim = CORE_I32;
    } else if (core_is_real(prim) && chance(g, 2)) {
        op = SOME_OF(g, reals);
        op = op == CORE_SQRT && prim == CORE_F32 ? CORE_CEIL : op; /* not exact on every device */
    }
    keep_scalar(g, core_let_unary(b, "u", op, some_scalar(g, b, prim)));
}

void make_scalar(Generator *g, CoreBuilder *b)
{
    CorePrim prim = some_prim(g);
    switch (below(g, 11)) {
    case 0:
    case 1: make_unary(g, b); break;
    case 2:
    case 3:
    case 4: {
        CoreAtom x = some_scalar(g, b, some_prim(g));
        if (prim != CORE_CHAR && x.prim != prim) {
            keep_scalar(g, core_let_convert(b, "c", prim, x));
        }
        break;
    }
    case 5: make_approximate(g, b); break;
    case 6: keep_scalar(g, core_let_atom(b, "same", some_scalar(g, b, prim))); break;
    default: combine(g, b, prim);
    }
}

/* ---- operators of reductions ----------------------------------------------------------------- */

/* x as a whole number below 1024 (32 for f32): sums of many are exact. Others stay. */
CoreAtom tame(CoreBuilder *b, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    if (!core_is_real(prim)) {
        return x;
    }
    CoreAtom whole = core_let_convert(b, "t", CORE_I64, x);
    whole = core_let_binary(b, "t", CORE_MOD, whole, core_i64(prim == CORE_F32 ? 32 : 1024));
    return core_let_convert(b, "t", prim, whole);
}

static CoreAtom both(CoreBuilder *b, CoreOperator op, CoreAtom x, CoreAtom y)
{
    return core_let_binary(b, "v", op, x, y);
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
    static const CoreOperator reals[] = {CORE_ADD, CORE_ADD, CORE_MIN, CORE_MAX};
    CorePrim prim = chance(g, 4)   ? CORE_BOOL
                    : chance(g, 4) ? (chance(g, 2) ? CORE_F64 : CORE_F32)
                                   : some_int(g);
    Operator o = {.kind = SINGLE, .parts = 1, .prim = prim};
    CoreOperator op = prim == CORE_BOOL    ? SOME_OF(g, bools)
                      : core_is_real(prim) ? SOME_OF(g, reals)
                                           : SOME_OF(g, ints);
    if (core_is_real(prim)) {
        o.neutral[0] = core_real(prim, op == CORE_ADD ? 0 : op == CORE_MAX ? -INFINITY : INFINITY);
    } else if (!core_operator_identity(op, prim, &o.neutral[0])) {
        o.neutral[0] = core_int(prim, op == CORE_MAX ? least(prim) : greatest(prim));
    }
    o.op = op;
    o.commutative = !chance(g, 4);
    return o;
}

/* A new lambda of the operator: names are unique in a program. */
const CoreLambda *operator_lambda(Generator *g, const Operator *o)
{
    if (o->kind == SINGLE) {
        return core_operator_lambda(g->c, o->op, o->prim, (Span){0});
    }
    CoreName *p[2 * MAX_PARTS];
    for (size_t i = 0; i < 2 * o->parts; i++) {
        p[i] = core_name(g->c, "a", core_scalar(o->prim), (Span){0});
    }
    CoreBuilder b = core_builder(g->c, (Span){0});
    CoreAtom results[MAX_PARTS];
    switch (o->kind) {
    case SINGLE: break;
    case MATRIX: matrix(&b, p, results); break;
    case LAST_NOT_ZERO: last_not_zero(g, &b, p, o->prim, results); break;
    case PLACE_OF_LARGEST: place_of_largest(g, &b, p, o->prim, results); break;
    }
    return core_lambda(g->c, 2 * o->parts, p, core_body(&b, o->parts, results));
}

Operator some_operator(Generator *g)
{
    static const OperatorKind kinds[] = {SINGLE, SINGLE,        SINGLE,
                                         MATRIX, LAST_NOT_ZERO, PLACE_OF_LARGEST};
    static const size_t parts[] = {
        [SINGLE] = 1, [MATRIX] = 4, [LAST_NOT_ZERO] = 1, [PLACE_OF_LARGEST] = 2};
    OperatorKind kind = kinds[below(g, 6)];
    if (kind == SINGLE) {
        return single(g);
    }
    Operator o = {.kind = kind, .parts = parts[kind], .prim = some_int(g)};
    for (size_t i = 0; i < o.parts; i++) {
        o.neutral[i] = core_int(o.prim, kind == MATRIX && (i == 0 || i == 3));
    }
    if (kind == PLACE_OF_LARGEST) {
        o.neutral[0] = core_int(o.prim, least(o.prim));
        o.neutral[1] = core_int(o.prim, greatest(o.prim));
        o.commutative = true;
    }
    return o;
}
