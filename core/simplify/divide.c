/* [L0 6.3.3] Quotients and remainders of sums, by a constant c > 0.

       (10000*y + 100*m + d) % 10000           ==>  100*m + d          1 <= m <= 12, 1 <= d <= 31
       (10000*y + 100*m + d) % 100             ==>  d
       (12*y + m) / 12                         ==>  y                  0 <= m <= 11
       (12*y + m) % 12                         ==>  m % 12             else

   The sum is split into a multiple of c and a rest; the bounds of the terms say that no part of it
   wraps, and where the rest lies. What is left is smaller: it often needs no division, or fits
   narrow integers.

   In the last rounds, when nothing looks for remainders any more, that of a sum which goes round once at most, as the
   places of a rotation do, is a choice:

       (i + k) % n                 ==>  x = i + k in if x >= n then x - n else x     0 <= i < n, 0 <= k < n

   and what an element of a literal divides, as the weights and radices of digits do, is shifted or masked where all of its elements
   are powers of two:

       x / [8, 4, 2, 1][i]         ==>  x >> [3, 2, 1, 0][i]
       x % [2, 4, 2, 8][i]         ==>  x & [1, 3, 1, 7][i] */
#include "core/simplify/simplify.h"

/* sum = multiple + rest, as integers; each factor of `multiple` is one of c. */
typedef struct Split {
    Linear multiple, rest;
    bool is_small; /* 0 <= rest < c */
} Split;

static bool add_range(Interval *sum, Interval term, int64_t factor)
{
    int64_t a, b;
    return !__builtin_mul_overflow(term.low, factor, &a) &&
           !__builtin_mul_overflow(term.high, factor, &b) &&
           !__builtin_add_overflow(sum->low, a < b ? a : b, &sum->low) &&
           !__builtin_add_overflow(sum->high, a < b ? b : a, &sum->high);
}

/* The greatest multiple of c up to x; false where there is none. */
static bool multiple_below(int64_t x, int64_t c, int64_t *multiple)
{
    int64_t above = x % c;
    return !__builtin_sub_overflow(x, above < 0 ? above + c : above, multiple);
}

static bool split(Simplify *s, const Linear *sum, int64_t c, Split *parts)
{
    int64_t constant = (int64_t)sum->constant, shift;
    Interval whole = {constant, constant}, range = whole;
    *parts = (Split){.rest.constant = sum->constant};
    for (int i = 0; i < sum->count; i++) {
        int64_t factor = (int64_t)sum->terms[i].factor;
        bool is_multiple = factor % c == 0;
        Linear *part = is_multiple ? &parts->multiple : &parts->rest;
        Interval term = simplify_interval(s, core_use(sum->terms[i].name), 0);
        if (!add_range(&whole, term, factor) ||
            (!is_multiple && !add_range(&range, term, factor))) {
            return false;
        }
        part->terms[part->count++] = sum->terms[i];
    }
    /* A multiple of c in the constant, so that the rest lies below c where it can. */
    parts->is_small = multiple_below(range.low, c, &shift) && range.low <= range.high &&
                      (uint64_t)range.high - (uint64_t)shift < (uint64_t)c;
    if (parts->is_small) {
        parts->multiple.constant = (uint64_t)shift;
        parts->rest.constant -= (uint64_t)shift;
    }
    return true;
}

/* The sum, each of its factors divided by `by`. */
static CoreAtom build(Simplify *s, const Work *work, const Linear *sum, int64_t by)
{
    CoreAtom total = core_i64((int64_t)sum->constant / by);
    for (int i = 0; i < sum->count; i++) {
        CoreAtom factor = core_i64((int64_t)sum->terms[i].factor / by);
        CoreAtom name = core_use(sum->terms[i].name);
        CoreAtom term =
            factor.as.integer == 1 ? name : simplify_binary(s, work, "t", CORE_MUL, name, factor);
        bool first = i == 0 && total.as.integer == 0;
        total = first ? term : simplify_binary(s, work, "t", CORE_ADD, total, term);
    }
    return total;
}

/* x % n, where x is a sum and 0 <= x < 2 * n. */
static bool goes_round_once(Simplify *s, Work *work)
{
    CoreAtom x = work->exp->as.scalar.x, n = work->exp->as.scalar.y;
    if (!s->last || work->exp->as.scalar.op != CORE_MOD || !simplify_operation(s, x, CORE_ADD) ||
        simplify_interval(s, x, 0).low < 0 || !simplify_is_positive(s, n) ||
        !simplify_is_below_sum(s, x, 2, (const CoreAtom[]){n, n})) {
        return false;
    }
    CoreAtom past = simplify_binary(s, work, "past", CORE_GE, x, n);
    CoreAtom round = simplify_binary(s, work, "round", CORE_SUB, x, n);
    CoreBuilder yes = core_builder(s->c, work->span), no = yes;
    work->exp = core_exp_if(s->c, past, core_body(&yes, 1, &round), core_body(&no, 1, &x));
    simplify_fired(s, CORE_RULE_ALGEBRA);
    return true;
}

/* The elements of a literal, powers of two, as how far they shift, or as masks; NULL: some are none. */
static const CoreExp *powers_of_two(Simplify *s, const CoreExp *literal, bool shifts)
{
    CoreAtom *items = ARENA_ARRAY(s->c->arena, CoreAtom, literal->as.items.count + 1);
    for (size_t i = 0; i < literal->as.items.count; i++) {
        CoreAtom item = literal->as.items.items[i];
        if (item.name || item.as.integer <= 0 || (item.as.integer & (item.as.integer - 1)) != 0) {
            return NULL;
        }
        items[i] = item;
        items[i].as.integer =
            shifts ? __builtin_ctzll((uint64_t)item.as.integer) : item.as.integer - 1;
    }
    CoreExp *exp = core_exp_copy(s->c, literal);
    exp->as.items.items = items;
    return exp;
}

static bool by_power_of_literal(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    const CoreStm *element = simplify_definition(s, exp->as.scalar.y, true);
    if (!s->last || !element || element->exp->kind != CORE_EXP_INDEX) {
        return false;
    }
    const CoreStm *literal = simplify_definition(s, element->exp->as.index.array, false);
    bool divides = exp->as.scalar.op == CORE_DIV;
    const CoreExp *powers =
        literal && literal->exp->kind == CORE_EXP_LITERAL && literal->pattern[0]->type.rank == 1
            ? powers_of_two(s, literal->exp, divides)
            : NULL;
    if (!powers) {
        return false;
    }
    CoreExp *index = core_exp_copy(s->c, element->exp), *changed = core_exp_copy(s->c, exp);
    index->as.index.array =
        simplify_let(s, work, divides ? "shifts" : "masks", literal->pattern[0]->type, powers);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    pattern[0] = core_name(s->c, divides ? "shift" : "mask", element->pattern[0]->type, work->span);
    Work added = {.pattern_count = 1, .pattern = pattern, .exp = index, .span = work->span};
    simplify_add_certificates(s, &added, element);
    simplify_emit(s, &added);
    changed->as.scalar.op = divides ? CORE_SAR : CORE_AND;
    changed->as.scalar.y = simplify_now(s, core_use(pattern[0]));
    work->exp = changed;
    simplify_fired(s, CORE_RULE_ALGEBRA);
    return true;
}

bool simplify_divide(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    CoreAtom c = exp->as.scalar.y;
    Split parts;
    if (exp->kind != CORE_EXP_BINARY || core_is_real(exp->as.scalar.prim) ||
        (exp->as.scalar.op != CORE_DIV && exp->as.scalar.op != CORE_MOD)) {
        return false;
    }
    if (by_power_of_literal(s, work)) {
        return true;
    }
    if (exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    if (goes_round_once(s, work)) {
        return true;
    }
    if (c.name || c.as.integer < 2) {
        return false;
    }
    Linear room;
    if (!split(s, simplify_linear(s, exp->as.scalar.x, &room), c.as.integer, &parts)) {
        return false;
    }
    if (exp->as.scalar.op == CORE_DIV) {
        if (!parts.is_small) {
            return false;
        }
        simplify_set_atom(s, work, build(s, work, &parts.multiple, c.as.integer));
    } else if (parts.is_small) {
        simplify_set_atom(s, work, build(s, work, &parts.rest, 1));
    } else if (parts.multiple.count > 0) {
        CoreAtom rest = build(s, work, &parts.rest, 1);
        simplify_set_atom(s, work, simplify_binary(s, work, "t", CORE_MOD, rest, c));
    } else {
        return false;
    }
    simplify_fired(s, CORE_RULE_ALGEBRA);
    return true;
}
