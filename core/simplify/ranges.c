/* [L0 6.1] Comparisons of integers that are proven: from bounds of their operands (sizes are not
   negative; 0 <= i < n for the index of a loop and the elements of iota n), from linear forms, and
   from both.

       for i < n do { let (c : bool) = i < n ... }             ==>  true
       map m xs (\x -> { ... let (c : bool) = m >= 0 ... })    ==>  true: m is the size of xs

   A sum counts only where it cannot wrap around. What a certificate guards is not looked into: in a
   kernel whose assertion failed such a name is 0. */
#include "core/simplify/simplify.h"

typedef struct Interval {
    int64_t low, high;
} Interval;

static const Interval ANY = {INT64_MIN, INT64_MAX};

static Interval interval(Simplify *s, CoreAtom atom, int depth, int fuel);

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static Interval product(Interval x, Interval y)
{
    int64_t a, b, c, d;
    if (__builtin_mul_overflow(x.low, y.low, &a) || __builtin_mul_overflow(x.low, y.high, &b) ||
        __builtin_mul_overflow(x.high, y.low, &c) || __builtin_mul_overflow(x.high, y.high, &d)) {
        return ANY;
    }
    return (Interval){least(least(a, b), least(c, d)), greatest(greatest(a, b), greatest(c, d))};
}

static int64_t floor_quotient(int64_t x, int64_t y) /* y > 0 */
{
    return x / y - (x % y < 0);
}

static Interval of_binary(CoreOperator op, Interval x, Interval y)
{
    Interval r;
    switch ((int)op) { /* the operators whose bounds follow */
    case CORE_ADD:
        return __builtin_add_overflow(x.low, y.low, &r.low) ||
                       __builtin_add_overflow(x.high, y.high, &r.high)
                   ? ANY
                   : r;
    case CORE_SUB:
        return __builtin_sub_overflow(x.low, y.high, &r.low) ||
                       __builtin_sub_overflow(x.high, y.low, &r.high)
                   ? ANY
                   : r;
    case CORE_MUL: return product(x, y);
    case CORE_DIV:
        return y.low == y.high && y.low > 0
                   ? (Interval){floor_quotient(x.low, y.low), floor_quotient(x.high, y.low)}
               : x.low >= 0 && y.low >= 0 ? (Interval){0, x.high}
                                          : ANY;
    case CORE_MOD: return y.low > 0 ? (Interval){0, y.high - 1} : ANY;
    case CORE_MAX: return (Interval){greatest(x.low, y.low), greatest(x.high, y.high)};
    case CORE_MIN: return (Interval){least(x.low, y.low), least(x.high, y.high)};
    case CORE_AND:
        return x.low >= 0 ? (Interval){0, x.high} : y.low >= 0 ? (Interval){0, y.high} : ANY;
    case CORE_RANDOM: return (Interval){0, INT64_MAX};
    }
    return ANY;
}

static Interval of_unary(CoreOperator op, Interval x)
{
    switch ((int)op) { /* the operators whose bounds follow */
    case CORE_NEG: return x.low == INT64_MIN ? ANY : (Interval){-x.high, -x.low};
    case CORE_ABS:
        return x.low == INT64_MIN ? ANY : x.low >= 0 ? x : (Interval){0, greatest(-x.low, x.high)};
    case CORE_SIGN:
        return (Interval){x.low > 0    ? 1
                          : x.low == 0 ? 0
                                       : -1,
                          x.high > 0    ? 1
                          : x.high == 0 ? 0
                                        : -1};
    }
    return ANY;
}

static Interval of_exp(Simplify *s, const CoreExp *exp, int depth, int fuel)
{
    bool is_scalar = exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY;
    if (exp->kind == CORE_EXP_CONVERT) {
        CorePrim from = core_atom_type(exp->as.convert.x).prim;
        return from == CORE_BOOL   ? (Interval){0, 1}
               : from == CORE_CHAR ? (Interval){0, UINT32_MAX}
               : from == CORE_I32  ? (Interval){INT32_MIN, INT32_MAX}
                                   : ANY;
    }
    if (!is_scalar || exp->as.scalar.prim != CORE_I64 ||
        core_operator_result(exp->as.scalar.op, CORE_I64) != CORE_I64) {
        return ANY;
    }
    Interval x = interval(s, exp->as.scalar.x, depth, fuel - 1);
    return exp->kind == CORE_EXP_UNARY
               ? of_unary(exp->as.scalar.op, x)
               : of_binary(exp->as.scalar.op, x, interval(s, exp->as.scalar.y, depth, fuel - 1));
}

/* Bounds of an i64 that hold in the scope of that depth. */
static Interval interval(Simplify *s, CoreAtom atom, int depth, int fuel)
{
    if (!atom.name) {
        return (Interval){atom.as.integer, atom.as.integer};
    }
    const Fact *fact = simplify_fact(s, atom.name);
    Interval r = ANY;
    if (fact->stm && fact->stm->certificate_count == 0 && fact->stm->pattern_count == 1 &&
        fuel > 0) {
        r = of_exp(s, fact->stm->exp, depth, fuel);
    }
    if (fact->has_range) {
        int64_t high = fuel > 0 ? interval(s, fact->below, depth, fuel - 1).high : INT64_MAX;
        r.low = greatest(r.low, fact->low);
        if (!__builtin_add_overflow(high, fact->below_add - 1, &high)) {
            r.high = least(r.high, high);
        }
    }
    if (fact->not_negative_depth <= depth) {
        r.low = greatest(r.low, 0);
    }
    if (fact->positive_depth <= depth) {
        r.low = greatest(r.low, 1);
    }
    return r;
}

enum { FUEL = 5 };

static Interval bounds(Simplify *s, CoreAtom atom)
{
    return interval(s, atom, s->depth, FUEL);
}

bool simplify_is_positive(Simplify *s, CoreAtom atom)
{
    return bounds(s, atom).low >= 1;
}

bool simplify_is_not_negative(Simplify *s, CoreAtom atom, int depth)
{
    return interval(s, atom, depth, FUEL).low >= 0;
}

/* ---- comparisons
 * -------------------------------------------------------------------------------------- */

/* x is y + d as integers, not only modulo 2^64. */
static bool true_difference(Simplify *s, CoreAtom x, CoreAtom y, int64_t *d)
{
    int64_t unused;
    Interval range = bounds(s, y);
    return simplify_linear_difference(s, x, y, d) &&
           !__builtin_add_overflow(range.low, *d, &unused) &&
           !__builtin_add_overflow(range.high, *d, &unused);
}

/* x as base + d, where the base has a bound above that is a name. */
static const Fact *bounded_base(Simplify *s, CoreAtom x, int64_t *d)
{
    for (int fuel = FUEL; x.name && fuel > 0; fuel--) {
        const Fact *fact = simplify_fact(s, x.name);
        if (fact->has_below) {
            return fact;
        }
        const CoreExp *exp = fact->stm && fact->stm->certificate_count == 0 ? fact->stm->exp : NULL;
        int64_t step, unused;
        if (!exp || exp->kind != CORE_EXP_BINARY || exp->as.scalar.prim != CORE_I64 ||
            exp->as.scalar.y.name ||
            (exp->as.scalar.op != CORE_ADD && exp->as.scalar.op != CORE_SUB)) {
            return NULL;
        }
        step = exp->as.scalar.y.as.integer;
        if (exp->as.scalar.op == CORE_SUB && __builtin_sub_overflow(0, step, &step)) {
            return NULL;
        }
        x = exp->as.scalar.x;
        Interval range = bounds(s, x);
        if (__builtin_add_overflow(range.low, step, &unused) ||
            __builtin_add_overflow(range.high, step, &unused) ||
            __builtin_add_overflow(*d, step, d)) {
            return NULL;
        }
    }
    return NULL;
}

/* x + slack <= y, proven: slack is 1 for <, 0 for <=. */
static bool is_below(Simplify *s, CoreAtom x, CoreAtom y, int64_t slack)
{
    int64_t d = 0, above, needed;
    Interval a = bounds(s, x), b = bounds(s, y);
    if (a.high < b.low || (slack == 0 && a.high == b.low)) {
        return true;
    }
    if (true_difference(s, y, x, &d) && d >= slack) {
        return true;
    }
    d = 0;
    const Fact *base = bounded_base(s, x, &d); /* x = base + d < below + below_add + d */
    return base && true_difference(s, y, base->below, &above) &&
           !__builtin_add_overflow(base->below_add, d, &needed) &&
           !__builtin_add_overflow(needed, slack - 1, &needed) && needed <= above;
}

static bool are_equal(Simplify *s, CoreAtom x, CoreAtom y, bool *equal)
{
    int64_t d;
    Interval a = bounds(s, x), b = bounds(s, y);
    if (simplify_linear_difference(s, x, y, &d)) {
        *equal = d == 0;
        return true;
    }
    *equal = false;
    return a.high < b.low || b.high < a.low;
}

static bool decide(Simplify *s, CoreOperator op, CoreAtom x, CoreAtom y, bool *answer)
{
    bool known;
    switch ((int)op) { /* the comparisons */
    case CORE_LT: *answer = is_below(s, x, y, 1); return *answer || is_below(s, y, x, 0);
    case CORE_LE: *answer = is_below(s, x, y, 0); return *answer || is_below(s, y, x, 1);
    case CORE_GT: return decide(s, CORE_LT, y, x, answer);
    case CORE_GE: return decide(s, CORE_LE, y, x, answer);
    case CORE_EQ: return are_equal(s, x, y, answer);
    case CORE_NE:
        known = are_equal(s, x, y, answer);
        *answer = !*answer;
        return known;
    }
    return false;
}

bool simplify_winner(Simplify *s, const CoreExp *exp, CoreAtom *winner)
{
    bool is_scalar = exp->kind == CORE_EXP_BINARY && exp->as.scalar.prim == CORE_I64;
    if (!is_scalar || (exp->as.scalar.op != CORE_MAX && exp->as.scalar.op != CORE_MIN)) {
        return false;
    }
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y;
    bool x_low = is_below(s, x, y, 0), y_low = !x_low && is_below(s, y, x, 0);
    *winner = x_low == (exp->as.scalar.op == CORE_MAX) ? y : x;
    return x_low || y_low;
}

/* max and min that are decided; % of what is in range already. */
static bool decide_choice(Simplify *s, Work *work)
{
    CoreAtom x = work->exp->as.scalar.x, y = work->exp->as.scalar.y, winner;
    if (simplify_winner(s, work->exp, &winner)) {
        simplify_set_atom(s, work, winner);
        return true;
    }
    if (work->exp->as.scalar.op == CORE_MOD && bounds(s, x).low >= 0 && is_below(s, x, y, 1)) {
        simplify_set_atom(s, work, x);
        return true;
    }
    return false;
}

static void learn_comparison(Simplify *s, CoreOperator op, CoreAtom x, CoreAtom y, int depth)
{
    Interval low = bounds(s, y); /* x op y says: x >= its lower bound */
    int64_t least_x = op == CORE_GT ? 1 : 0;
    if (!x.name || (op != CORE_GE && op != CORE_GT && op != CORE_EQ)) {
        return;
    }
    if (low.low >= 0) {
        simplify_learn(s, x, 0, depth);
    }
    if (low.low >= 1 - least_x) {
        simplify_learn(s, x, 1, depth);
    }
}

void simplify_learn_assertion(Simplify *s, CoreAtom condition, int depth)
{
    CoreAtom waiting[8] = {condition};
    for (int count = 1; count > 0;) {
        const CoreStm *stm = simplify_definition(s, waiting[--count], false);
        if (!stm || stm->exp->kind != CORE_EXP_BINARY) {
            continue;
        }
        CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
        CoreOperator op = stm->exp->as.scalar.op;
        if (stm->exp->as.scalar.prim == CORE_BOOL && op == CORE_AND && count + 2 <= 8) {
            waiting[count++] = x;
            waiting[count++] = y;
        } else if (stm->exp->as.scalar.prim == CORE_I64) {
            learn_comparison(s, op, x, y, depth);
            learn_comparison(s,
                             op == CORE_LE   ? CORE_GE
                             : op == CORE_LT ? CORE_GT
                             : op == CORE_EQ ? CORE_EQ
                                             : CORE_NE,
                             y, x, depth);
        }
    }
}

bool simplify_prove(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    bool answer;
    if (exp->kind != CORE_EXP_BINARY || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    if (decide(s, exp->as.scalar.op, exp->as.scalar.x, exp->as.scalar.y, &answer)) {
        simplify_set_atom(s, work, core_bool(answer));
    } else if (!decide_choice(s, work)) {
        return false;
    }
    simplify_fired(s, CORE_RULE_PROVEN);
    return true;
}
