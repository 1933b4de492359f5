/* Constant folding of small whole numbers, so that counts, axes and permutations which an APL
   program computes (`¯1↓⍳⍴⍴x`) are known at compile time. Results beyond 31 bits are left to run
   time: they wrap there by the width of int. */
#include "apl/elaborate/internal.h"

static bool keep(int64_t number, int64_t *result)
{
    *result = number;
    return number > -(INT64_C(1) << 31) && number < (INT64_C(1) << 31);
}

static int64_t residue(int64_t a, int64_t b)
{
    if (a == 0) {
        return b;
    }
    int64_t r = b % a;
    return r != 0 && (r < 0) != (a < 0) ? r + a : r;
}

bool elab_fold_dyadic(AplPrimitive primitive, int64_t a, int64_t b, int64_t *result)
{
    int64_t ignored;
    if (!keep(a, &ignored) || !keep(b, &ignored)) {
        return false;
    }
    if (primitive == APL_PLUS) {
        return keep(a + b, result);
    }
    if (primitive == APL_MINUS) {
        return keep(a - b, result);
    }
    if (primitive == APL_TIMES) {
        return keep(a * b, result);
    }
    if (primitive == APL_CEILING) {
        return keep(a > b ? a : b, result);
    }
    if (primitive == APL_FLOOR) {
        return keep(a < b ? a : b, result);
    }
    if (primitive == APL_STILE) {
        return keep(residue(a, b), result);
    }
    const struct {
        AplPrimitive primitive;
        bool truth;
    } comparisons[] = {{APL_LESS, a < b},    {APL_LESS_EQUAL, a <= b},
                       {APL_EQUAL, a == b},  {APL_GREATER_EQUAL, a >= b},
                       {APL_GREATER, a > b}, {APL_NOT_EQUAL, a != b}};
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (comparisons[i].primitive == primitive) {
            *result = comparisons[i].truth;
            return true;
        }
    }
    return false;
}

bool elab_fold_monadic(AplPrimitive primitive, int64_t a, int64_t *result)
{
    if (!keep(a, result)) {
        return false;
    }
    switch ((int)primitive) {
    case APL_PLUS:
    case APL_FLOOR:
    case APL_CEILING: return keep(a, result);
    case APL_MINUS: return keep(-a, result);
    case APL_STILE: return keep(a < 0 ? -a : a, result);
    case APL_TIMES: return keep((a > 0) - (a < 0), result);
    default: return false;
    }
}
