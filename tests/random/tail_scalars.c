/* Random TAIL: scalar expressions of every base type. Doubles meet only operations that are exact
   on every device; others are compared with a number that is no exact result. */
#include "tests/random/tail_random.h"

#define SOME(ops) (ops)[tail_below(g, sizeof(ops) / sizeof *(ops))]

static Exp call1(TailGenerator *g, TailBuiltin builtin, TailBaseKind base)
{
    Exp x = tail_some_scalar(g, base);
    return tail_try(g, builtin, 1, &x);
}

static Exp call2(TailGenerator *g, TailBuiltin builtin, TailBaseKind base)
{
    Exp arguments[2] = {tail_some_scalar(g, base), tail_some_scalar(g, base)};
    return tail_try(g, builtin, 2, arguments);
}

static Exp some_int(TailGenerator *g)
{
    static const TailBuiltin unary[] = {TAIL_OP_NEGI, TAIL_OP_ABSI, TAIL_OP_SIGNI, TAIL_OP_NOTI};
    static const TailBuiltin binary[] = {
        TAIL_OP_ADDI, TAIL_OP_SUBI, TAIL_OP_MULI, TAIL_OP_ADDI,  TAIL_OP_SUBI, TAIL_OP_DIVI,
        TAIL_OP_MOD,  TAIL_OP_RESI, TAIL_OP_MAXI, TAIL_OP_MINI,  TAIL_OP_ANDI, TAIL_OP_ORI,
        TAIL_OP_XORI, TAIL_OP_SHLI, TAIL_OP_SHRI, TAIL_OP_SHARI, TAIL_OP_GCDI, TAIL_OP_LCMI};
    static const TailBuiltin from_double[] = {TAIL_OP_SIGND, TAIL_OP_FLOOR, TAIL_OP_CEIL};
    switch (tail_below(g, 8)) {
    case 0: return call1(g, SOME(unary), TAIL_INT);
    case 1: return call1(g, SOME(from_double), TAIL_DOUBLE);
    case 2: return call1(g, tail_chance(g, 2) ? TAIL_OP_B2I : TAIL_OP_B2IV, TAIL_BOOL);
    case 3:
        return tail_chance(g, 2) ? call1(g, TAIL_OP_MEMSCL, TAIL_INT)
                                 : call1(g, TAIL_OP_ORD, TAIL_CHAR);
    default: return call2(g, SOME(binary), TAIL_INT);
    }
}

static Exp some_double(TailGenerator *g)
{
    static const TailBuiltin binary[] = {TAIL_OP_ADDD, TAIL_OP_SUBD, TAIL_OP_MULD,
                                         TAIL_OP_ADDD, TAIL_OP_SUBD, TAIL_OP_DIVD,
                                         TAIL_OP_RESD, TAIL_OP_MAXD, TAIL_OP_MIND};
    switch (tail_below(g, 9)) {
    case 0: return call1(g, tail_chance(g, 2) ? TAIL_OP_NEGD : TAIL_OP_ABSD, TAIL_DOUBLE);
    case 8: return call1(g, tail_chance(g, 2) ? TAIL_OP_REX : TAIL_OP_IMX, TAIL_COMPLEX);
    case 1: return call1(g, TAIL_OP_SQRTD, TAIL_DOUBLE);
    case 2:
    case 3: return call1(g, TAIL_OP_I2D, TAIL_INT);
    case 4:
        return tail_chance(g, 3) ? tail_try(g, TAIL_OP_PI, 0, NULL)
                                 : CALL(ROLLD, tail_some_scalar(g, TAIL_INT));
    case 5: { /* of small whole numbers */
        Exp x = tail_tame(g, tail_some_scalar(g, TAIL_DOUBLE));
        Exp y = tail_tame(g, tail_some_scalar(g, TAIL_DOUBLE));
        return tail_chance(g, 2) ? CALL(GCDD, x, y) : CALL(LCMD, x, y);
    }
    default: return call2(g, SOME(binary), TAIL_DOUBLE);
    }
}

static Exp some_complex(TailGenerator *g)
{
    static const TailBuiltin unary[] = {TAIL_OP_NEGX, TAIL_OP_CONJX};
    static const TailBuiltin binary[] = {TAIL_OP_ADDX, TAIL_OP_SUBX, TAIL_OP_MULX, TAIL_OP_MULX,
                                         TAIL_OP_DIVX};
    switch (tail_below(g, 6)) {
    case 0: return call1(g, SOME(unary), TAIL_COMPLEX);
    case 1: return call1(g, TAIL_OP_D2X, TAIL_DOUBLE);
    case 2: return call2(g, TAIL_OP_INJX, TAIL_DOUBLE);
    case 3: return CALL(POWIX, tail_some_scalar(g, TAIL_COMPLEX), tail_whole_in(g, -3, 7));
    default: return call2(g, SOME(binary), TAIL_COMPLEX);
    }
}

/* Whether a function whose last places may differ is beyond a number. */
static Exp approximate(TailGenerator *g)
{
    static const TailBuiltin unary[] = {TAIL_OP_EXPD,  TAIL_OP_LN,    TAIL_OP_SIN,  TAIL_OP_COS,
                                        TAIL_OP_TAN,   TAIL_OP_ASIN,  TAIL_OP_ACOS, TAIL_OP_ATAN,
                                        TAIL_OP_SINH,  TAIL_OP_COSH,  TAIL_OP_TANH, TAIL_OP_ASINH,
                                        TAIL_OP_ACOSH, TAIL_OP_ATANH, TAIL_OP_FACTD};
    static const TailBuiltin of_complex[] = {TAIL_OP_MAGNX, TAIL_OP_ARGX};
    Exp z = tail_chance(g, 4) ? call1(g, TAIL_OP_EXPX, TAIL_COMPLEX)
                              : tail_some_scalar(g, TAIL_COMPLEX);
    Exp x = tail_chance(g, 5) ? tail_try(g, SOME(of_complex), 1, &z)
            : tail_chance(g, 5)
                ? call2(g, tail_chance(g, 2) ? TAIL_OP_POWD : TAIL_OP_BINOMD, TAIL_DOUBLE)
                : call1(g, SOME(unary), TAIL_DOUBLE);
    Exp limit = tail_double(g->c, 0.33712, (Span){0});
    return tail_chance(g, 2) ? CALL(LTD, x, limit) : CALL(GTD, x, limit);
}

static Exp some_bool(TailGenerator *g)
{
    static const TailBuiltin ints[] = {TAIL_OP_LTI, TAIL_OP_LTEI, TAIL_OP_GTI, TAIL_OP_GTEI,
                                       TAIL_OP_EQI};
    static const TailBuiltin doubles[] = {TAIL_OP_LTD, TAIL_OP_LTED, TAIL_OP_GTD, TAIL_OP_GTED,
                                          TAIL_OP_EQD};
    static const TailBuiltin chars[] = {TAIL_OP_LTC, TAIL_OP_LTEC, TAIL_OP_GTC, TAIL_OP_GTEC,
                                        TAIL_OP_EQC};
    static const TailBuiltin bools[] = {TAIL_OP_ANDB,  TAIL_OP_ORB,  TAIL_OP_XORB,
                                        TAIL_OP_NANDB, TAIL_OP_NORB, TAIL_OP_EQB};
    switch (tail_below(g, 8)) {
    case 0: return call1(g, TAIL_OP_NOTB, TAIL_BOOL);
    case 7: return call2(g, TAIL_OP_EQX, TAIL_COMPLEX);
    case 1: return approximate(g);
    case 2: return call2(g, SOME(doubles), TAIL_DOUBLE);
    case 3: return call2(g, SOME(chars), TAIL_CHAR);
    case 4: return call2(g, SOME(bools), TAIL_BOOL);
    default: return call2(g, SOME(ints), TAIL_INT);
    }
}

Exp tail_some_operation(TailGenerator *g, TailBaseKind base)
{
    Exp x = NULL;
    switch (base) {
    case TAIL_BOOL: x = some_bool(g); break;
    case TAIL_INT: x = some_int(g); break;
    case TAIL_DOUBLE: x = some_double(g); break;
    case TAIL_CHAR:
        if (tail_chance(g, 2)) {
            x = CALL(CHR, tail_whole_in(g, 'a', 26));
            break;
        }
        x = tail_if(g->c, tail_some_scalar(g, TAIL_BOOL), tail_some_scalar(g, TAIL_CHAR),
                    tail_some_constant(g, TAIL_CHAR), (Span){0});
        break;
    case TAIL_COMPLEX: x = some_complex(g); break;
    case TAIL_BASE_VARIABLE: break;
    }
    return x ? x : tail_some_constant(g, base);
}

/* A double, or the parts of a complex number, as a whole number below 1024: sums of many are exact.
 */
Exp tail_tame(TailGenerator *g, Exp x)
{
    if (x && x->type->base.kind == TAIL_COMPLEX) {
        return CALL(INJX, tail_tame(g, CALL(REX, x)), tail_tame(g, CALL(IMX, x)));
    }
    if (!x || x->type->base.kind != TAIL_DOUBLE) {
        return x;
    }
    return CALL(I2D, CALL(RESI, tail_number(g, 1024), CALL(FLOOR, x)));
}

/* An int from low on, one of count. */
Exp tail_whole_in(TailGenerator *g, int64_t low, int64_t count)
{
    if (tail_chance(g, 3)) {
        return tail_number(g, low + tail_below(g, count));
    }
    Exp rest = CALL(RESI, tail_number(g, count), tail_some_scalar(g, TAIL_INT));
    return CALL(ADDI, rest, tail_number(g, low));
}
