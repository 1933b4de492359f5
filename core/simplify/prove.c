/* [L0 6.1] Comparisons of integers that are proven from what is known of their operands.

       for i < n do { let (c : bool) = i < n ... }                     ==>  true
       map n (iota n) (\i -> { j = i * 2; c = j + 1 < 2 * n ... })     ==>  true
       k = if n > 0 then m else 0;  map n xs (\x -> { c = m == k })    ==>  true: in it, n > 0

   x < y is y - x - 1 >= 0. The difference is a linear form; names in it are replaced by their
   bounds, one after the other, until what is left is not negative by its interval. Forms here are
   exact: a sum is taken apart only where it cannot wrap around. */
#include "core/simplify/simplify.h"

/* ---- exact forms ----------------------------------------------------------------------------- */

static bool add_term(Linear *sum, int64_t factor, CoreName *name)
{
    int at = 0;
    int64_t total = factor;
    while (at < sum->count && sum->terms[at].name != name) {
        at++;
    }
    if (at == MOST_TERMS ||
        (at < sum->count &&
         __builtin_add_overflow((int64_t)sum->terms[at].factor, factor, &total))) {
        return false;
    }
    if (at == sum->count) {
        sum->terms[sum->count++].name = name;
    }
    sum->terms[at].factor = (uint64_t)total;
    if (total == 0) {
        sum->terms[at] = sum->terms[--sum->count];
    }
    return true;
}

static bool add_constant(Linear *sum, int64_t factor, int64_t value)
{
    int64_t product, total;
    if (__builtin_mul_overflow(factor, value, &product) ||
        __builtin_add_overflow((int64_t)sum->constant, product, &total)) {
        return false;
    }
    sum->constant = (uint64_t)total;
    return true;
}

static bool add_atom(Simplify *s, Linear *sum, int64_t factor, CoreAtom atom, int fuel);

/* The operands of a sum that does not wrap. */
static bool add_operands(Simplify *s, Linear *sum, int64_t factor, const CoreExp *exp, int fuel)
{
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y;
    CoreOperator op = exp->as.scalar.op;
    int64_t scaled;
    if (exp->as.scalar.prim != CORE_I64 ||
        !simplify_is_exact(op, simplify_interval(s, x, 0), simplify_interval(s, y, 0))) {
        return false;
    }
    switch ((int)op) { /* the linear ones */
    case CORE_ADD:
        return add_atom(s, sum, factor, x, fuel - 1) && add_atom(s, sum, factor, y, fuel - 1);
    case CORE_SUB:
        return factor != INT64_MIN && add_atom(s, sum, factor, x, fuel - 1) &&
               add_atom(s, sum, -factor, y, fuel - 1);
    case CORE_MUL:
        return !y.name ? !__builtin_mul_overflow(factor, y.as.integer, &scaled) &&
                             add_atom(s, sum, scaled, x, fuel - 1)
               : !x.name ? !__builtin_mul_overflow(factor, x.as.integer, &scaled) &&
                               add_atom(s, sum, scaled, y, fuel - 1)
                         : false;
    }
    return false;
}

enum { FUEL = 6 };

/* sum += factor * atom */
static bool add_atom(Simplify *s, Linear *sum, int64_t factor, CoreAtom atom, int fuel)
{
    CoreAtom selected;
    if (!atom.name) {
        return add_constant(sum, factor, atom.as.integer);
    }
    if (fuel > 0 && simplify_select(s, atom, &selected)) {
        return add_atom(s, sum, factor, selected, fuel - 1);
    }
    const CoreStm *stm = simplify_definition(s, atom, false);
    if (fuel > 0 && stm && stm->exp->kind == CORE_EXP_BINARY) {
        Linear whole = *sum;
        if (add_operands(s, &whole, factor, stm->exp, fuel)) {
            *sum = whole;
            return true;
        }
    }
    return add_term(sum, factor, atom.name);
}

/* sum += factor * form, with the names in it taken apart */
static bool add_form(Simplify *s, Linear *sum, int64_t factor, const Linear *form)
{
    bool fits = add_constant(sum, factor, (int64_t)form->constant);
    for (int i = 0; fits && i < form->count; i++) {
        int64_t product;
        fits = !__builtin_mul_overflow(factor, (int64_t)form->terms[i].factor, &product) &&
               add_atom(s, sum, product, core_use(form->terms[i].name), FUEL);
    }
    return fits;
}

/* ---- bounds of forms ------------------------------------------------------------------------- */

/* The form is not negative by the intervals of its names. */
static bool is_not_negative(Simplify *s, const Linear *form)
{
    int64_t sum = (int64_t)form->constant, product;
    for (int i = 0; i < form->count; i++) {
        int64_t factor = (int64_t)form->terms[i].factor;
        Interval range = simplify_interval(s, core_use(form->terms[i].name), 0);
        if (__builtin_mul_overflow(factor, factor > 0 ? range.low : range.high, &product) ||
            __builtin_add_overflow(sum, product, &sum)) {
            return false;
        }
    }
    return sum >= 0;
}

/* One more form for a name: `bound` is at least, or at most, what the name is. */
typedef bool TryBound(void *context, const Linear *bound);

static bool try_atom(Simplify *s, CoreAtom atom, int64_t add, TryBound *try, void *context)
{
    Linear form = {0};
    return add_atom(s, &form, 1, atom, FUEL) && add_constant(&form, 1, add) && try(context, &form);
}

/* x / y <= z - 1 for 0 <= x < y * z, y > 0, z >= 0, also where the product has wrapped: it is greater than what is left. */
static bool try_quotient(Simplify *s, CoreAtom x, CoreAtom y, TryBound *try, void *context)
{
    const Linear *upper = x.name ? simplify_fact(s, x.name)->upper : NULL;
    if (!upper || upper->count != 1 || upper->terms[0].factor != 1 ||
        (int64_t)upper->constant >= 0) {
        return false;
    }
    const CoreExp *product = simplify_operation(s, core_use(upper->terms[0].name), CORE_MUL);
    if (!product || product->as.scalar.prim != CORE_I64) {
        return false;
    }
    CoreAtom a = product->as.scalar.x, b = product->as.scalar.y;
    CoreAtom z = core_atom_equal(a, y) ? b : a;
    return (core_atom_equal(a, y) || core_atom_equal(b, y)) &&
           simplify_interval(s, z, 0).low >= 0 && try_atom(s, z, -1, try, context);
}

/* max(x, y) >= x, y; min(x, y) <= x, y; x % y <= y - 1 and x / y <= x for x >= 0, y > 0 */
static bool try_operator(Simplify *s, const CoreExp *exp, bool from_below, TryBound *try,
                         void *context)
{
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y;
    bool positive;
    if (exp->kind != CORE_EXP_BINARY || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    switch ((int)exp->as.scalar.op) { /* those with bounds that are names */
    case CORE_MAX:
        return from_below && (try_atom(s, x, 0, try, context) || try_atom(s, y, 0, try, context));
    case CORE_MIN:
        return !from_below && (try_atom(s, x, 0, try, context) || try_atom(s, y, 0, try, context));
    case CORE_MOD:
        return !from_below && simplify_is_positive(s, y) && try_atom(s, y, -1, try, context);
    case CORE_DIV:
        positive = simplify_interval(s, x, 0).low >= 0 && simplify_is_positive(s, y);
        return !from_below && positive &&
               (try_atom(s, x, 0, try, context) || try_quotient(s, x, y, try, context));
    }
    return false;
}

/* Tries the bounds of a name, from below or above, until one will do. */
static bool each_bound(Simplify *s, const CoreName *name, bool from_below, TryBound *try,
                       void *context)
{
    const Fact *fact = simplify_fact(s, name);
    const Linear *own = from_below ? fact->lower : fact->upper;
    if (own && try(context, own)) {
        return true;
    }
    for (const Bound *b = fact->bounds; b; b = b->next) {
        if (b->at_least == from_below && b->depth <= s->depth && b->other.name &&
            try_atom(s, b->other, b->add, try, context)) {
            return true;
        }
    }
    const CoreStm *stm = simplify_definition(s, core_use((CoreName *)name), false);
    return stm && try_operator(s, stm->exp, from_below, try, context);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

typedef struct Proof {
    Simplify *s;
    const Linear *form;
    int term;      /* of the form, to be replaced by its bound */
    int *attempts; /* left */
} Proof;

static bool prove_form(Simplify *s, const Linear *form, int *attempts);

static bool replaced(Simplify *s, const Linear *form, int term, const Linear *bound,
                     Linear *without)
{
    int64_t factor = (int64_t)form->terms[term].factor;
    *without = *form;
    without->terms[term] = without->terms[--without->count];
    return add_form(s, without, factor, bound);
}

static bool prove_with(void *context, const Linear *bound)
{
    Proof *proof = context;
    Linear without;
    return replaced(proof->s, proof->form, proof->term, bound, &without) &&
           prove_form(proof->s, &without, proof->attempts);
}

/* f * (x / c), where f is a multiple of a constant c > 1: the quotient is the floor, so that
       x - (c - 1)  <=  x / c * c  <=  x
   and 4 * (n / 4) <= n. */
static bool prove_by_quotient(Simplify *s, const Linear *form, int term, int *attempts)
{
    const CoreExp *exp = simplify_operation(s, core_use(form->terms[term].name), CORE_DIV);
    int64_t factor = (int64_t)form->terms[term].factor;
    if (!exp || exp->as.scalar.prim != CORE_I64 || exp->as.scalar.y.name ||
        exp->as.scalar.y.as.integer < 2 || factor % exp->as.scalar.y.as.integer != 0) {
        return false;
    }
    int64_t c = exp->as.scalar.y.as.integer, share = factor / c;
    Linear bound = *form;
    bound.terms[term] = bound.terms[--bound.count];
    return add_atom(s, &bound, share, exp->as.scalar.x, FUEL) &&
           (share < 0 || add_constant(&bound, share, 1 - c)) && prove_form(s, &bound, attempts);
}

/* Whether the choice, which is in that range, is another one than x: in a map of max(n, 0) rows these are n. */
static bool is_not_chosen(Simplify *s, CoreOperator choice, Interval chosen, CoreAtom x)
{
    Interval own = simplify_interval(s, x, 0);
    return choice == CORE_MAX ? own.high < chosen.low : own.low > chosen.high;
}

/* f * max(x, y), where f < 0, is the lesser of f * x and f * y, and so is f * min(x, y), where f > 0: both have to do that
   may be chosen. */
static bool prove_by_both(Simplify *s, const Linear *form, int term, int *attempts)
{
    int64_t factor = (int64_t)form->terms[term].factor;
    CoreOperator choice = factor < 0 ? CORE_MAX : CORE_MIN;
    const CoreExp *exp = simplify_operation(s, core_use(form->terms[term].name), choice);
    if (!exp || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    Linear without = *form;
    without.terms[term] = without.terms[--without.count];
    Interval chosen = simplify_interval(s, core_use(form->terms[term].name), 0);
    const CoreAtom operands[] = {exp->as.scalar.x, exp->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        Linear with = without;
        if (is_not_chosen(s, choice, chosen, operands[i])) {
            continue;
        }
        if (!add_atom(s, &with, factor, operands[i], FUEL) || !prove_form(s, &with, attempts)) {
            return false;
        }
    }
    return true;
}

static bool prove_form(Simplify *s, const Linear *form, int *attempts)
{
    if (is_not_negative(s, form)) {
        return true;
    }
    for (int i = 0; i < form->count; i++) {
        Proof proof = {s, form, i, attempts};
        if (--*attempts < 0) {
            return false;
        }
        if (prove_by_quotient(s, form, i, attempts) || prove_by_both(s, form, i, attempts) ||
            each_bound(s, form->terms[i].name, (int64_t)form->terms[i].factor > 0, prove_with,
                       &proof)) {
            return true;
        }
    }
    return false;
}

/* The sum of `factor` * x, those of the parts with the other sign, and `add` is not negative. */
static bool proves(Simplify *s, int64_t add, int64_t factor, CoreAtom x, size_t count,
                   const CoreAtom *parts)
{
    enum { MOST_ATTEMPTS = 24 };
    int attempts = MOST_ATTEMPTS;
    Linear form = {.constant = (uint64_t)add};
    for (size_t i = 0; i < count; i++) {
        if (!add_atom(s, &form, -factor, parts[i], FUEL)) {
            return false;
        }
    }
    return add_atom(s, &form, factor, x, FUEL) && prove_form(s, &form, &attempts);
}

/* x + slack <= y, proven: slack is 1 for <, 0 for <=. */
static bool is_below(Simplify *s, CoreAtom x, CoreAtom y, int64_t slack)
{
    return proves(s, -slack, 1, y, 1, &x);
}

bool simplify_is_below_sum(Simplify *s, CoreAtom x, size_t count, const CoreAtom *parts)
{
    return proves(s, -1, -1, x, count, parts);
}

bool simplify_is_from_sum(Simplify *s, CoreAtom x, size_t count, const CoreAtom *parts)
{
    return proves(s, 0, 1, x, count, parts);
}

static bool are_equal(Simplify *s, CoreAtom x, CoreAtom y, bool *equal)
{
    int64_t d;
    if (simplify_linear_difference(s, x, y, &d)) { /* equal modulo 2^64 is equal */
        *equal = d == 0;
        return true;
    }
    bool below = is_below(s, x, y, 0), above = is_below(s, y, x, 0);
    *equal = below && above;
    return *equal || (below && is_below(s, x, y, 1)) || (above && is_below(s, y, x, 1));
}

bool simplify_decide(Simplify *s, CoreOperator op, CoreAtom x, CoreAtom y, bool *answer)
{
    bool known;
    switch ((int)op) { /* the comparisons */
    case CORE_LT: *answer = is_below(s, x, y, 1); return *answer || is_below(s, y, x, 0);
    case CORE_LE: *answer = is_below(s, x, y, 0); return *answer || is_below(s, y, x, 1);
    case CORE_GT: return simplify_decide(s, CORE_LT, y, x, answer);
    case CORE_GE: return simplify_decide(s, CORE_LE, y, x, answer);
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
    Interval of_x = simplify_interval(s, x, 0), of_y = simplify_interval(s, y, 0);
    bool x_low = of_x.high <= of_y.low || is_below(s, x, y, 0);
    bool y_low =
        !x_low && (of_y.high <= of_x.low || is_below(s, y, x, 0)); /* differences may wrap */
    *winner = x_low == (exp->as.scalar.op == CORE_MAX) ? y : x;
    return x_low || y_low;
}

/* max (max x c - k) d  ==>  max (x - k) d     for c - k <= d: the rows that two drops leave */
static bool max_of_max(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    bool is_max = exp->as.scalar.op == CORE_MAX && !exp->as.scalar.y.name;
    const CoreExp *less = is_max ? simplify_operation(s, exp->as.scalar.x, CORE_SUB) : NULL;
    const CoreExp *inner =
        less && !less->as.scalar.y.name ? simplify_operation(s, less->as.scalar.x, CORE_MAX) : NULL;
    int64_t least;
    if (!inner || inner->as.scalar.y.name ||
        __builtin_sub_overflow(inner->as.scalar.y.as.integer, less->as.scalar.y.as.integer,
                               &least) ||
        least > exp->as.scalar.y.as.integer ||
        !simplify_is_exact(CORE_SUB, simplify_interval(s, inner->as.scalar.x, 0),
                           simplify_interval(s, less->as.scalar.y, 0))) {
        return false;
    }
    CoreExp *most = core_exp_copy(s->c, exp);
    most->as.scalar.x =
        simplify_binary(s, work, "t", CORE_SUB, inner->as.scalar.x, less->as.scalar.y);
    work->exp = most;
    return true;
}

/* max and min that are decided; % of what is in range already. */
static bool decide_choice(Simplify *s, Work *work)
{
    CoreAtom x = work->exp->as.scalar.x, y = work->exp->as.scalar.y, winner;
    if (simplify_winner(s, work->exp, &winner)) {
        simplify_set_atom(s, work, winner);
        return true;
    }
    if (work->exp->as.scalar.op == CORE_MOD && simplify_interval(s, x, 0).low >= 0 &&
        is_below(s, x, y, 1)) {
        simplify_set_atom(s, work, x);
        return true;
    }
    return max_of_max(s, work);
}

/* form += what is not negative where the comparison of integers holds, and only there */
static bool add_comparison(Simplify *s, Linear *form, CoreAtom condition)
{
    const CoreStm *stm = simplify_definition(s, condition, false);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    CoreOperator op = stm->exp->as.scalar.op;
    bool less = op == CORE_LT || op == CORE_LE, more = op == CORE_GT || op == CORE_GE;
    int64_t slack = op == CORE_LT || op == CORE_GT ? -1 : 0;
    return (less || more) && add_constant(form, 1, slack) &&
           add_atom(s, form, less ? -1 : 1, x, FUEL) && add_atom(s, form, less ? 1 : -1, y, FUEL);
}

// f >= 0 | g >= 0,  f + g >= -1   ==>  true: where f is negative, g is not
static bool decide_either(Simplify *s, Work *work)
{
    enum { MOST_ATTEMPTS = 8 };
    const CoreExp *exp = work->exp;
    int attempts = MOST_ATTEMPTS;
    Linear both = {.constant = 1};
    if (exp->as.scalar.op != CORE_OR || exp->as.scalar.prim != CORE_BOOL ||
        !add_comparison(s, &both, exp->as.scalar.x) ||
        !add_comparison(s, &both, exp->as.scalar.y) || !prove_form(s, &both, &attempts)) {
        return false;
    }
    simplify_set_atom(s, work, core_bool(true));
    simplify_fired(s, CORE_RULE_PROVEN);
    return true;
}

bool simplify_prove(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    bool answer;
    if (exp->kind == CORE_EXP_BINARY && decide_either(s, work)) {
        return true;
    }
    if (exp->kind != CORE_EXP_BINARY || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    if (simplify_decide(s, exp->as.scalar.op, exp->as.scalar.x, exp->as.scalar.y, &answer)) {
        simplify_set_atom(s, work, core_bool(answer));
    } else if (!decide_choice(s, work)) {
        return false;
    }
    simplify_fired(s, CORE_RULE_PROVEN);
    return true;
}

/* ---- results of ifs with known conditions ---------------------------------------------------- */

static bool is_known(Simplify *s, CoreAtom condition, bool *truth)
{
    CoreAtom now = simplify_now(s, condition);
    if (!now.name) {
        *truth = now.as.integer != 0;
        return true;
    }
    const CoreStm *stm = simplify_definition(s, now, false);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    /* by intervals: n > 0 and the like are what loops and functions of SOACs say */
    Interval x = simplify_interval(s, stm->exp->as.scalar.x, 0),
             y = simplify_interval(s, stm->exp->as.scalar.y, 0);
    bool less = x.high<y.low, more = x.low> y.high;
    bool at_most = x.high <= y.low, at_least = x.low >= y.high;
    switch ((int)stm->exp->as.scalar.op) { /* the comparisons */
    case CORE_GT: *truth = more; return more || at_most;
    case CORE_GE: *truth = at_least; return at_least || less;
    case CORE_LT: *truth = less; return less || at_least;
    case CORE_LE: *truth = at_most; return at_most || more;
    case CORE_NE: *truth = true; return less || more;
    case CORE_EQ: *truth = false; return less || more;
    }
    return false;
}

bool simplify_select(Simplify *s, CoreAtom atom, CoreAtom *selected)
{
    const CoreStm *stm = simplify_definition(s, atom, false);
    bool truth;
    if (!stm || stm->exp->kind != CORE_EXP_IF ||
        !is_known(s, stm->exp->as.conditional.condition, &truth)) {
        return false;
    }
    const CoreBody *taken =
        truth ? stm->exp->as.conditional.then_body : stm->exp->as.conditional.else_body;
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (stm->pattern[i] == atom.name) {
            *selected = taken->results[i];
            return !selected->name ||
                   simplify_fact(s, selected->name)->depth <= simplify_fact(s, atom.name)->depth;
        }
    }
    return false;
}

/* ---- bounds for outside a scope -------------------------------------------------------------- */

typedef struct Outward {
    Simplify *s;
    const Linear *form;
    int term;
    Linear found;
} Outward;

static bool replace_with(void *context, const Linear *bound)
{
    Outward *outward = context;
    return replaced(outward->s, outward->form, outward->term, bound, &outward->found);
}

/* The form with the names of the present scope replaced by their bounds. */
static const Linear *outer_form(Simplify *s, Linear form, bool from_below)
{
    enum { MOST_STEPS = 12 };
    for (int step = 0; step < MOST_STEPS; step++) {
        int i = 0;
        while (i < form.count && simplify_fact(s, form.terms[i].name)->depth < s->depth) {
            i++;
        }
        if (i == form.count) {
            return arena_copy(s->arena, &form, sizeof form);
        }
        bool below = ((int64_t)form.terms[i].factor > 0) == from_below;
        Outward outward = {.s = s, .form = &form, .term = i};
        Interval range = simplify_interval(s, core_use(form.terms[i].name), 0);
        int64_t end = below ? range.low : range.high;
        Linear constant = {.constant = (uint64_t)end};
        if (!each_bound(s, form.terms[i].name, below, replace_with, &outward) &&
            (end == INT64_MIN || end == INT64_MAX || !replace_with(&outward, &constant))) {
            return NULL;
        }
        form = outward.found;
    }
    return NULL;
}

void simplify_outer_bounds(Simplify *s, CoreAtom atom, const Linear **lower, const Linear **upper)
{
    CoreType type = core_atom_type(atom);
    const Fact *fact = atom.name ? simplify_fact(s, atom.name) : NULL;
    Linear form = {0};
    *lower = *upper = NULL;
    if (type.prim != CORE_I64) {
        return;
    }
    if (type.rank > 0) { /* its elements */
        *lower = fact->lower ? outer_form(s, *fact->lower, true) : NULL;
        *upper = fact->upper ? outer_form(s, *fact->upper, false) : NULL;
    } else if (add_atom(s, &form, 1, atom, FUEL)) {
        *lower = outer_form(s, form, true);
        *upper = outer_form(s, form, false);
    }
}
