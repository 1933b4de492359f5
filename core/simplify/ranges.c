/* [L0 6.1] Bounds of integers by constants, and what conditions say.

       n : the extent of an array                    0 <= n <= 2^48
       for i < n do { ... }                          in it, 1 <= n and 0 <= i <= n - 1
       if x < y then { S } else { T }                in S, x <= y - 1 and y >= x + 1; in T, x >= y
       k = min(x, 7) % 8                             k <= 7

   What a certificate guards is not looked into: in a kernel whose assertion failed such a name is
   0. Ranges are computed once where a name is bound, from those of its operands, so that long
   chains of definitions are followed. No array has more than 2^48 elements: one that is stored
   needs that many bytes, and a view of more has no indices that a program could run through. */
#include "core/simplify/simplify.h"

enum { EXTENT_BITS = 48 };

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
    case CORE_SAR: /* towards 0, or -1 */
        return (Interval){least(x.low, 0), x.high < 0 ? -1 : x.high};
    case CORE_MAX: return (Interval){greatest(x.low, y.low), greatest(x.high, y.high)};
    case CORE_MIN: return (Interval){least(x.low, y.low), least(x.high, y.high)};
    case CORE_AND:
        return x.low >= 0 && y.low >= 0     ? (Interval){0, least(x.high, y.high)}
               : x.low >= 0                 ? (Interval){0, x.high}
               : y.low >= 0                 ? (Interval){0, y.high}
               : y.low >= -1 && y.high <= 0 ? (Interval){least(x.low, 0), greatest(x.high, 0)}
               : x.low >= -1 && x.high <= 0 ? (Interval){least(y.low, 0), greatest(y.high, 0)}
                                            : ANY;
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

/* The least or greatest value of a linear form; false where that is not known. */
static bool extreme(Simplify *s, const Linear *form, bool greatest_value, int depth, int fuel,
                    int64_t *value)
{
    *value = (int64_t)form->constant;
    for (int i = 0; i < form->count; i++) {
        int64_t factor = (int64_t)form->terms[i].factor, product_value;
        Interval range = interval(s, core_use(form->terms[i].name), depth, fuel - 1);
        int64_t end = (factor > 0) == greatest_value ? range.high : range.low;
        if (end == INT64_MIN || end == INT64_MAX ||
            __builtin_mul_overflow(factor, end, &product_value) ||
            __builtin_add_overflow(*value, product_value, value)) {
            return false;
        }
    }
    return true;
}

static Interval with_bounds(Simplify *s, const Fact *fact, Interval r, int depth, int fuel)
{
    int64_t end;
    if (fact->upper && fuel > 0) {
        /* i <= n - 1 with any n: at most the greatest but one */
        r.high = extreme(s, fact->upper, true, depth, fuel, &end) ? least(r.high, end)
                 : fact->upper->count == 1 && fact->upper->terms[0].factor == 1 &&
                         fact->upper->constant == (uint64_t)-1
                     ? least(r.high, INT64_MAX - 1)
                     : r.high;
    }
    if (fact->lower && fuel > 0 && extreme(s, fact->lower, false, depth, fuel, &end)) {
        r.low = greatest(r.low, end);
    }
    for (const Bound *b = fact->bounds; b; b = b->next) {
        bool counts = b->depth <= depth && !b->other.name &&
                      !__builtin_add_overflow(b->other.as.integer, b->add, &end);
        if (counts && b->at_least) {
            r.low = greatest(r.low, end);
        } else if (counts) {
            r.high = least(r.high, end);
        }
    }
    return r;
}

static Interval both(Interval a, Interval b)
{
    return (Interval){greatest(a.low, b.low), least(a.high, b.high)};
}

/* Bounds of an i64 that hold in the scope of that depth: by its definition as that was learnt, and,
   through a few definitions, by what is known here. */
static Interval interval(Simplify *s, CoreAtom atom, int depth, int fuel)
{
    if (!atom.name) {
        return (Interval){atom.as.integer, atom.as.integer};
    }
    const Fact *fact = simplify_fact(s, atom.name);
    Interval r = fact->range;
    if (fact->stm && fact->stm->certificate_count == 0 && fact->stm->pattern_count == 1 &&
        fuel > 0) {
        r = both(r, of_exp(s, fact->stm->exp, depth, fuel));
    }
    r = with_bounds(s, fact, r, depth, fuel);
    if (fact->extent_depth <= depth) {
        r.low = greatest(r.low, 0);
        r.high = least(r.high, (int64_t)1 << EXTENT_BITS);
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

Interval simplify_interval(Simplify *s, CoreAtom atom, int depth)
{
    return interval(s, atom, depth > 0 ? depth : s->depth, FUEL);
}

void simplify_learn_range(Simplify *s, const CoreStm *stm, int depth)
{
    const CoreType *type = &stm->pattern[0]->type;
    if (type->rank == 0 && type->prim == CORE_I64) {
        simplify_fact(s, stm->pattern[0])->range = of_exp(s, stm->exp, depth, 1);
    }
}

bool simplify_is_exact(CoreOperator op, Interval x, Interval y)
{
    int64_t unused;
    switch ((int)op) { /* the linear ones */
    case CORE_ADD:
        return !__builtin_add_overflow(x.low, y.low, &unused) &&
               !__builtin_add_overflow(x.high, y.high, &unused);
    case CORE_SUB:
        return !__builtin_sub_overflow(x.low, y.high, &unused) &&
               !__builtin_sub_overflow(x.high, y.low, &unused);
    case CORE_MUL:
        return !__builtin_mul_overflow(x.low, y.low, &unused) &&
               !__builtin_mul_overflow(x.low, y.high, &unused) &&
               !__builtin_mul_overflow(x.high, y.low, &unused) &&
               !__builtin_mul_overflow(x.high, y.high, &unused);
    }
    return false;
}

bool simplify_is_positive(Simplify *s, CoreAtom atom)
{
    return simplify_interval(s, atom, 0).low >= 1;
}

bool simplify_is_not_negative(Simplify *s, CoreAtom atom, int depth)
{
    return simplify_interval(s, atom, depth).low >= 0;
}

/* ---- what conditions say --------------------------------------------------------------------- */

enum { MOST_BOUNDS = 6 };

static void learn_bound(Simplify *s, CoreAtom x, bool at_least, CoreAtom other, int64_t add,
                        int depth)
{
    if (!x.name) {
        return;
    }
    Fact *fact = simplify_fact(s, x.name);
    if (fact->bound_count >= MOST_BOUNDS) {
        return;
    }
    Bound *bound = ARENA_NEW(s->arena, Bound);
    *bound = (Bound){at_least, other, add, depth, fact->bounds};
    fact->bounds = bound;
    fact->bound_count++;
    vec_push(s->arena, &s->scopes[depth]->learned, fact);
}

void simplify_forget_bounds(Fact *fact, int depth)
{
    for (Bound **at = &fact->bounds; *at;) {
        if ((*at)->depth == depth) {
            *at = (*at)->next;
            fact->bound_count--;
        } else {
            at = &(*at)->next;
        }
    }
}

/* x + slack <= y */
static void learn_below(Simplify *s, CoreAtom x, CoreAtom y, int64_t slack, int depth)
{
    learn_bound(s, x, false, y, -slack, depth);
    learn_bound(s, y, true, x, slack, depth);
}

static void learn_comparison(Simplify *s, CoreOperator op, CoreAtom x, CoreAtom y, int depth)
{
    switch ((int)op) { /* != says nothing about bounds */
    case CORE_LT: learn_below(s, x, y, 1, depth); return;
    case CORE_LE: learn_below(s, x, y, 0, depth); return;
    case CORE_GT: learn_below(s, y, x, 1, depth); return;
    case CORE_GE: learn_below(s, y, x, 0, depth); return;
    case CORE_EQ:
        learn_below(s, x, y, 0, depth);
        learn_below(s, y, x, 0, depth);
        return;
    }
}

static CoreOperator opposite(CoreOperator op)
{
    switch ((int)op) { /* the comparisons */
    case CORE_LT: return CORE_GE;
    case CORE_LE: return CORE_GT;
    case CORE_GT: return CORE_LE;
    case CORE_GE: return CORE_LT;
    case CORE_EQ: return CORE_NE;
    case CORE_NE: return CORE_EQ;
    }
    return op;
}

/* In the scope of that depth the name is a constant, until it closes. */
static void know(Simplify *s, const CoreName *name, bool truth, int depth)
{
    Fact *fact = simplify_fact(s, name);
    if (!fact->replaced && depth == s->depth && s->scopes[depth]->kind != SCOPE_FUNCTION) {
        fact->replaced = true;
        fact->replacement = core_bool(truth);
        vec_push(s->arena, &s->scopes[depth]->known, fact);
    }
}

void simplify_learn_condition(Simplify *s, CoreAtom condition, bool truth, int depth)
{
    enum { MOST = 16 };
    struct {
        CoreAtom atom;
        bool truth;
    } waiting[MOST] = {{condition, truth}};
    for (int count = 1; count > 0;) {
        CoreAtom atom = waiting[--count].atom;
        bool holds = waiting[count].truth;
        const CoreStm *stm = simplify_definition(s, atom, false);
        if (!atom.name) {
            continue;
        }
        know(s, atom.name, holds, depth);
        if (!stm || (stm->exp->kind != CORE_EXP_BINARY && stm->exp->kind != CORE_EXP_UNARY)) {
            continue;
        }
        CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
        CoreOperator op = stm->exp->as.scalar.op;
        bool of_bools = stm->exp->as.scalar.prim == CORE_BOOL;
        if (stm->exp->kind == CORE_EXP_UNARY) {
            if (of_bools && op == CORE_NOT) {
                waiting[count].atom = x;
                waiting[count++].truth = !holds;
            }
        } else if (of_bools && op == (holds ? CORE_AND : CORE_OR) && count + 2 <= MOST) {
            waiting[count].atom = x;
            waiting[count++].truth = holds;
            waiting[count].atom = y;
            waiting[count++].truth = holds;
        } else if (stm->exp->as.scalar.prim == CORE_I64) {
            learn_comparison(s, holds ? op : opposite(op), x, y, depth);
        }
    }
}
