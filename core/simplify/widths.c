/* Sums of 64-bit integers, what fits 32 bits first: these a GPU computes several times faster.

       (100*y + m) * 100 + (d + 1)   ==>   10000*y + (100*m + (d + 1))
                                           y is any number, 0 <= m <= 12, 0 <= d <= 30

   No result changes, since both are equal modulo 2^64, and there are as many operators as before.
   Constants are not moved: the sum without them may be an element's position, that of its neighbour
   is one step away. */
#include "core/simplify/simplify.h"

static bool is_narrow(Simplify *s, CoreAtom atom)
{
    Interval range = simplify_interval(s, atom, 0);
    return range.low >= INT32_MIN && range.high <= INT32_MAX;
}

/* The sum of a wide and a narrow number that the atom is. */
static bool parts(Simplify *s, CoreAtom sum, CoreAtom *wide, CoreAtom *narrow)
{
    const CoreExp *exp = simplify_operation(s, sum, CORE_ADD);
    if (!exp || !exp->as.scalar.y.name) {
        return false;
    }
    bool first = is_narrow(s, exp->as.scalar.x);
    *wide = first ? exp->as.scalar.y : exp->as.scalar.x;
    *narrow = first ? exp->as.scalar.x : exp->as.scalar.y;
    return is_narrow(s, *narrow) && !is_narrow(s, *wide);
}

/* (w*b + n) * c  ==>  w*(b*c) + n*c */
static bool product_of_sum(Simplify *s, Work *work)
{
    CoreAtom wide, narrow, c = work->exp->as.scalar.y;
    int64_t factor, most = c.as.integer;
    if (c.name || most < 2 || !parts(s, work->exp->as.scalar.x, &wide, &narrow)) {
        return false;
    }
    const CoreExp *product = simplify_operation(s, wide, CORE_MUL);
    Interval range = simplify_interval(s, narrow, 0);
    if (!product || product->as.scalar.y.name || range.low < INT32_MIN / most ||
        range.high > INT32_MAX / most ||
        __builtin_mul_overflow(product->as.scalar.y.as.integer, most, &factor)) {
        return false;
    }
    CoreExp *sum = core_exp_copy(s->c, work->exp);
    sum->as.scalar.op = CORE_ADD;
    sum->as.scalar.y = simplify_binary(s, work, "t", CORE_MUL, narrow, c);
    sum->as.scalar.x =
        simplify_binary(s, work, "t", CORE_MUL, product->as.scalar.x, core_i64(factor));
    work->exp = sum;
    return true;
}

/* (w + m) + n  ==>  w + (m + n) */
static bool sum_of_sum(Simplify *s, Work *work)
{
    CoreAtom x = work->exp->as.scalar.x, y = work->exp->as.scalar.y, wide, narrow;
    bool first = is_narrow(s, x);
    CoreAtom other = first ? x : y;
    if (!y.name || !is_narrow(s, other) || !parts(s, first ? y : x, &wide, &narrow)) {
        return false;
    }
    Interval a = simplify_interval(s, narrow, 0), b = simplify_interval(s, other, 0);
    if (a.low + b.low < INT32_MIN || a.high + b.high > INT32_MAX) {
        return false;
    }
    CoreExp *sum = core_exp_copy(s->c, work->exp);
    sum->as.scalar.y = simplify_binary(s, work, "t", CORE_ADD, narrow, other);
    sum->as.scalar.x = wide;
    work->exp = sum;
    return true;
}

bool simplify_narrow_sum(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (!s->last || exp->kind != CORE_EXP_BINARY || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    return (exp->as.scalar.op == CORE_MUL && product_of_sum(s, work)) ||
           (exp->as.scalar.op == CORE_ADD && sum_of_sum(s, work));
}
