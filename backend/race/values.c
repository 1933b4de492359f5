/* Integers of which only a part may be known: v, or v plus something that data say.

       g * m + at        with g * m = 12 and `at` loaded:  12 + ?

   Bools are integers. Reals are never known. */
#include "backend/race/race.h"

RaceValue race_known(int64_t v)
{
    return (RaceValue){.v = v, .known = true};
}

RaceValue race_unknown(void)
{
    return (RaceValue){.step = 1};
}

RaceValue race_kept(void)
{
    return (RaceValue){.step = 1, .is_kept = true};
}

static int64_t wrap(CorePrim prim, int64_t v)
{
    return prim == CORE_I32 ? (int32_t)(uint32_t)(uint64_t)v : v;
}

static int64_t floor_divide(int64_t x, int64_t y)
{
    if (y == 0 || y == -1) {
        return y == 0 ? 0 : (int64_t)(0 - (uint64_t)x);
    }
    return x / y - (x % y != 0 && (x % y < 0) != (y < 0));
}

static int64_t shift(CoreOperator op, CorePrim prim, int64_t x, int64_t y)
{
    int64_t width = prim == CORE_I32 ? 32 : 64;
    uint64_t bits = prim == CORE_I32 ? (uint32_t)(uint64_t)x : (uint64_t)x;
    if (op == CORE_SAR) {
        int64_t by = y < 0 ? 0 : y >= width ? width - 1 : y;
        return x >= 0 ? x >> by : -1 - ((-1 - x) >> by);
    }
    if (y < 0 || y >= width) {
        return 0;
    }
    return (int64_t)(op == CORE_SHL ? bits << y : bits >> y);
}

RaceValue race_unary(CoreOperator op, RaceValue x)
{
    if (!x.known) {
        return x.is_kept ? x : race_unknown();
    }
    switch ((int)op) { /* those of integers and bools */
    case CORE_NEG: x.v = (int64_t)(0 - (uint64_t)x.v); return x;
    case CORE_ABS: x.v = x.v < 0 ? (int64_t)(0 - (uint64_t)x.v) : x.v; return x;
    case CORE_SIGN: x.v = (x.v > 0) - (x.v < 0); return x;
    case CORE_NOT: x.v = x.v == 0; return x; /* of bools: indices have no other */
    }
    return race_unknown();
}

static bool compute(CoreOperator op, CorePrim prim, int64_t x, int64_t y, int64_t *v)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch ((int)op) { /* those of integers and bools, but for RANDOM, GCD and LCM */
    case CORE_ADD: *v = (int64_t)(a + b); return true;
    case CORE_SUB: *v = (int64_t)(a - b); return true;
    case CORE_MUL: *v = (int64_t)(a * b); return true;
    case CORE_DIV: *v = floor_divide(x, y); return true;
    case CORE_MOD: *v = (int64_t)(a - b * (uint64_t)floor_divide(x, y)); return true;
    case CORE_MAX: *v = x > y ? x : y; return true;
    case CORE_MIN: *v = x < y ? x : y; return true;
    case CORE_AND: *v = (int64_t)(a & b); return true;
    case CORE_OR: *v = (int64_t)(a | b); return true;
    case CORE_XOR: *v = (int64_t)(a ^ b); return true;
    case CORE_SHL:
    case CORE_SHR:
    case CORE_SAR: *v = shift(op, prim, x, y); return true;
    case CORE_EQ: *v = x == y; return true;
    case CORE_NE: *v = x != y; return true;
    case CORE_LT: *v = x < y; return true;
    case CORE_LE: *v = x <= y; return true;
    case CORE_GT: *v = x > y; return true;
    case CORE_GE: *v = x >= y; return true;
    }
    return false;
}

static int64_t common_step(int64_t x, int64_t y)
{
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static int64_t times(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

/* Sums keep what is known of their parts; false & x and true | x are known. */
static RaceValue in_part(CoreOperator op, CorePrim prim, RaceValue x, RaceValue y)
{
    bool own = x.own || y.own;
    int64_t step = common_step(x.step, y.step);
    if (op == CORE_ADD) {
        return (RaceValue){.v = (int64_t)((uint64_t)x.v + (uint64_t)y.v), .step = step, .own = own};
    }
    if (op == CORE_SUB && y.known) {
        return (RaceValue){.v = (int64_t)((uint64_t)x.v - (uint64_t)y.v), .step = step, .own = own};
    }
    if (op == CORE_MUL && (x.known || y.known)) {
        step = x.known ? times(x.v, y.step) : times(x.step, y.v);
        return (RaceValue){.v = times(x.v, y.v), .step = step, .known = step == 0, .own = own};
    }
    bool absorbs = prim == CORE_BOOL && (op == CORE_AND || op == CORE_OR);
    if (absorbs && x.known && x.v == (op == CORE_OR)) {
        return x;
    }
    if (absorbs && y.known && y.v == (op == CORE_OR)) {
        return y;
    }
    return race_unknown();
}

RaceValue race_binary(CoreOperator op, CorePrim prim, RaceValue x, RaceValue y)
{
    if (core_is_real(prim)) {
        return race_unknown();
    }
    RaceValue value = {.known = true, .own = x.own || y.own};
    if (x.known && y.known) {
        if (!compute(op, prim, x.v, y.v, &value.v)) {
            return race_unknown();
        }
        value.v = wrap(core_operator_result(op, prim), value.v);
        return value;
    }
    return x.is_kept || y.is_kept ? race_kept() : in_part(op, prim, x, y);
}
