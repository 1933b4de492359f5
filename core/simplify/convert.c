/* Conversions: of what was converted before, and of whole reals.

       f64 (f64 b)                 ==>  b                    f64 (i64 b)  ==>  f64 b, b a bool
       i64 (floor (f64 x / 2.0))   ==>  x / 2                where x is surely a double exactly
       f64 (i64 x)                 ==>  via_i64 x              among the last */
#include "core/simplify/simplify.h"

#include <math.h>

/* Every value of `from` has its equal in `by`. */
static bool is_exact(CorePrim from, CorePrim by)
{
    return (from == CORE_BOOL && by != CORE_CHAR) ||
           (from == CORE_I32 && (by == CORE_I64 || by == CORE_F64)) ||
           (from == CORE_F32 && by == CORE_F64);
}

/* The whole c > 0 by which the real is divided, as itself or as a product with 1 / c, which is exact for a power of two; 0: it
   is something else. */
static double divisor_of(const CoreExp *quotient)
{
    int exponent;
    if (quotient->kind != CORE_EXP_BINARY || quotient->as.scalar.y.name) {
        return 0;
    }
    double y = quotient->as.scalar.y.as.real;
    bool divides = quotient->as.scalar.op == CORE_DIV;
    if (!(y > 0) ||
        !(divides || (quotient->as.scalar.op == CORE_MUL && frexp(y, &exponent) == 0.5))) {
        return 0;
    }
    double divisor = divides ? y : 1 / y;
    return divisor < 0x1p53 && divisor == trunc(divisor) ? divisor : 0;
}

/* i64 (floor (f64 x / c))  ==>  x / c              the floor of the quotient
   i64 (ceil (f64 x / c))   ==>  (x + (c - 1)) / c
   for a whole c > 0 where x is surely less than 2^53 - c in magnitude: then x, c and the floor k are doubles exactly, and
   the quotient is at least 1/c below k + 1, which is more than half a step of doubles there, so that rounding does not
   reach k + 1; likewise above the ceiling less 1. Of what may be greater the floor is one operation in the end, which looks. */
static bool whole_of_quotient(Simplify *s, Work *work, const CoreStm *whole)
{
    if (work->exp->as.convert.to != CORE_I64 || whole->exp->kind != CORE_EXP_UNARY) {
        return false;
    }
    CoreOperator op = whole->exp->as.scalar.op;
    if ((op != CORE_FLOOR && op != CORE_CEIL) || whole->exp->as.scalar.prim != CORE_F64) {
        return false;
    }
    const CoreStm *quotient = simplify_definition(s, whole->exp->as.scalar.x, false);
    double divisor = quotient ? divisor_of(quotient->exp) : 0;
    if (divisor == 0) {
        return false;
    }
    const CoreStm *dividend = simplify_definition(s, quotient->exp->as.scalar.x, false);
    if (!dividend || dividend->exp->kind != CORE_EXP_CONVERT ||
        core_atom_type(dividend->exp->as.convert.x).prim != CORE_I64) {
        return false;
    }
    CoreAtom x = dividend->exp->as.convert.x;
    Interval bounds = simplify_interval(s, x, 0);
    int64_t c = (int64_t)divisor, limit = ((int64_t)1 << 53) - c;
    if (bounds.low <= -limit || bounds.high >= limit) {
        if (!s->last || op != CORE_FLOOR || c == 1) {
            return false;
        }
        simplify_set_atom(s, work, simplify_binary(s, work, "quotient", CORE_QUOT, x, core_i64(c)));
        return true;
    }
    CoreAtom sum =
        op == CORE_FLOOR ? x : simplify_binary(s, work, "sum", CORE_ADD, x, core_i64(c - 1));
    simplify_set_atom(s, work, simplify_binary(s, work, "quotient", CORE_DIV, sum, core_i64(c)));
    return true;
}

/* f64 (i64 x)  ==>  via_i64 x    vectors of processors have no conversions between integers of 64 bits and reals; nothing
                                looks for whole numbers behind the last rounds */
static bool real_via_integer(Simplify *s, Work *work, CoreAtom x)
{
    CorePrim prim = work->exp->as.convert.to;
    if (!s->last || !core_is_real(prim) || core_atom_type(x).prim != prim ||
        core_atom_type(work->exp->as.convert.x).prim != CORE_I64) {
        return false;
    }
    CoreExp *via = core_exp_copy(s->c, work->exp);
    via->kind = CORE_EXP_UNARY;
    via->as.scalar.op = CORE_VIA_I64;
    via->as.scalar.prim = prim;
    via->as.scalar.x = via->as.scalar.y = x;
    work->exp = via;
    return true;
}

bool simplify_convert(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    CoreAtom x = exp->as.convert.x;
    if (core_atom_type(x).prim == exp->as.convert.to) {
        simplify_set_atom(s, work, x);
        return true;
    }
    const CoreStm *inner = simplify_definition(s, x, false);
    if (!inner || inner->exp->kind != CORE_EXP_CONVERT) {
        return inner && whole_of_quotient(s, work, inner);
    }
    CoreAtom from = inner->exp->as.convert.x;
    if (!is_exact(core_atom_type(from).prim, inner->exp->as.convert.to)) {
        return real_via_integer(s, work, from);
    }
    CoreExp *direct = core_exp_copy(s->c, exp);
    direct->as.convert.x = from;
    work->exp = direct;
    return true;
}
