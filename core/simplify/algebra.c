/* [L0 5.3, 6.3.3] Identities of operators. On reals only those that hold for every value in IEEE
   arithmetic, signed zeros, infinities and nan included: x*1, x/1, x-0.0, x+(-0.0), neg neg x;
   never x*0, x-x, x+0.0 or x == x.

       let (y : i64) = x * 0        ==>  0              let (y : f64) = x * 1.0      ==>  x
       let (y : bool) = b == false  ==>  !b             let (y : f64) = x + 0.0      stays

   Sums of i64 have a linear form, c0 + c1*x1 + ..., exact modulo 2^64:

       let (m : i64) = n + 1        let (k : i64) = m - 1        ==>  k is n */
#include "core/simplify/simplify.h"

#include <math.h>

/* ---- linear forms ---------------------------------------------------------------------------- */

const Linear *simplify_linear(Simplify *s, CoreAtom atom, Linear *room)
{
    if (!atom.name) {
        *room = (Linear){.constant = (uint64_t)atom.as.integer};
        return room;
    }
    const Fact *fact = simplify_fact(s, atom.name);
    if (fact->linear) {
        return fact->linear;
    }
    *room = (Linear){.count = 1, .terms = {{atom.name, 1}}};
    return room;
}

/* The form with a maximum or minimum in it that is decided by now: max(n-1, 0) + 1 is n once n >= 1
   is known. */
static bool resolved(Simplify *s, Linear *sum)
{
    for (int i = 0; i < sum->count; i++) {
        CoreName *name = sum->terms[i].name;
        uint64_t factor = sum->terms[i].factor;
        const CoreStm *stm = simplify_definition(s, core_use(name), false);
        CoreAtom winner;
        Linear room, whole = *sum, term = {.count = 1, .terms = {{name, 1}}};
        if (stm && simplify_winner(s, stm->exp, &winner) &&
            simplify_add_linear(&whole, -factor, &term) &&
            simplify_add_linear(&whole, factor, simplify_linear(s, winner, &room))) {
            *sum = whole;
            return true;
        }
    }
    return false;
}

bool simplify_add_linear(Linear *sum, uint64_t factor, const Linear *other)
{
    sum->constant += factor * other->constant;
    for (int i = 0; i < other->count; i++) {
        int at = 0;
        while (at < sum->count && sum->terms[at].name != other->terms[i].name) {
            at++;
        }
        if (at == MOST_TERMS) {
            return false;
        }
        if (at == sum->count) {
            sum->terms[sum->count].name = other->terms[i].name;
            sum->terms[sum->count++].factor = 0;
        }
        sum->terms[at].factor += factor * other->terms[i].factor;
        if (sum->terms[at].factor == 0) {
            sum->terms[at] = sum->terms[--sum->count];
        }
    }
    return true;
}

static bool linear_exp(Simplify *s, const CoreExp *exp, Linear *sum)
{
    Linear x_room, y_room;
    bool is_scalar = exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY;
    if (!is_scalar || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    const Linear *x = simplify_linear(s, exp->as.scalar.x, &x_room);
    const Linear *y =
        exp->kind == CORE_EXP_BINARY ? simplify_linear(s, exp->as.scalar.y, &y_room) : x;
    *sum = (Linear){0};
    switch ((int)exp->as.scalar.op) { /* the linear ones */
    case CORE_ADD: return simplify_add_linear(sum, 1, x) && simplify_add_linear(sum, 1, y);
    case CORE_SUB:
        return simplify_add_linear(sum, 1, x) && simplify_add_linear(sum, (uint64_t)-1, y);
    case CORE_NEG: return simplify_add_linear(sum, (uint64_t)-1, x);
    case CORE_MUL:
        return x->count == 0   ? simplify_add_linear(sum, x->constant, y)
               : y->count == 0 ? simplify_add_linear(sum, y->constant, x)
                               : false;
    }
    return false;
}

const Linear *simplify_linear_exp(Simplify *s, const CoreExp *exp)
{
    Linear sum;
    return linear_exp(s, exp, &sum) ? arena_copy(s->arena, &sum, sizeof sum) : NULL;
}

bool simplify_linear_difference(Simplify *s, CoreAtom a, CoreAtom b, int64_t *difference)
{
    Linear room, sum = {0};
    if (!simplify_add_linear(&sum, 1, simplify_linear(s, a, &room)) ||
        !simplify_add_linear(&sum, (uint64_t)-1, simplify_linear(s, b, &room)) || sum.count > 0) {
        return false;
    }
    *difference = (int64_t)sum.constant;
    return true;
}

/* A sum that is a constant, one name, or a name and a constant in one step. */
static bool shorter_sum(Simplify *s, Work *work)
{
    Linear sum;
    const CoreExp *exp = work->exp;
    if (!linear_exp(s, exp, &sum)) {
        return false;
    }
    for (int fuel = MOST_TERMS; fuel > 0 && resolved(s, &sum); fuel--) {
    }
    if (sum.count == 0) {
        simplify_set_atom(s, work, core_i64((int64_t)sum.constant));
        return true;
    }
    if (sum.count != 1 || sum.terms[0].factor != 1) {
        return false;
    }
    CoreAtom name = core_use(sum.terms[0].name), constant = core_i64((int64_t)sum.constant);
    if (sum.constant == 0) {
        simplify_set_atom(s, work, name);
        return true;
    }
    int64_t less = (int64_t)sum.constant;
    bool minus =
        less < 0 && less != INT64_MIN; /* n - c, and never n + -c: the same sum looks the same */
    if (exp->kind == CORE_EXP_BINARY && !(minus && exp->as.scalar.op == CORE_ADD) &&
        (core_atom_equal(exp->as.scalar.x, name) || core_atom_equal(exp->as.scalar.y, name))) {
        return false; /* it is that sum */
    }
    CoreExp *shorter = core_exp_copy(s->c, exp);
    shorter->kind = CORE_EXP_BINARY;
    shorter->as.scalar.op = minus ? CORE_SUB : CORE_ADD;
    shorter->as.scalar.x = name;
    shorter->as.scalar.y = minus ? core_i64(-less) : constant;
    work->exp = shorter;
    return true;
}

/* ---- identities ------------------------------------------------------------------------------ */

static bool is_int(CoreAtom atom, int64_t value)
{
    return !atom.name && !core_is_real(atom.prim) && atom.as.integer == value;
}

static bool is_real(CoreAtom atom, double value, bool negative)
{
    return !atom.name && core_is_real(atom.prim) && atom.as.real == value &&
           (signbit(atom.as.real) != 0) == negative;
}

static CoreAtom whole(CorePrim prim, int64_t value)
{
    return prim == CORE_BOOL ? core_bool(value != 0) : core_int(prim, value);
}

/* What x op y is on integers and bools, where the second operand is the constant. */
static bool whole_identity(CoreOperator op, CorePrim prim, CoreAtom x, CoreAtom y, CoreAtom *value)
{
    int64_t ones = prim == CORE_BOOL ? 1 : -1;
    switch ((int)op) { /* the operators that have any */
    case CORE_ADD:
    case CORE_SUB:
    case CORE_XOR:
    case CORE_SHL:
    case CORE_SHR:
    case CORE_SAR: *value = x; return is_int(y, 0);
    case CORE_MUL: *value = is_int(y, 0) ? y : x; return is_int(y, 0) || is_int(y, 1);
    case CORE_DIV: *value = is_int(y, 0) ? y : x; return is_int(y, 0) || is_int(y, 1);
    case CORE_MOD: *value = is_int(y, 0) ? x : whole(prim, 0); return is_int(y, 0) || is_int(y, 1);
    case CORE_AND: *value = is_int(y, 0) ? y : x; return is_int(y, 0) || is_int(y, ones);
    case CORE_OR: *value = is_int(y, 0) ? x : y; return is_int(y, 0) || is_int(y, ones);
    case CORE_MAX:
    case CORE_MIN:
        return core_operator_identity(op, prim, value) && core_atom_equal(*value, y)
                   ? (*value = x, true)
                   : false;
    }
    return false;
}

/* What x op x is, on anything but reals. */
static bool self_identity(CoreOperator op, CorePrim prim, CoreAtom x, CoreAtom *value)
{
    switch ((int)op) { /* the operators that have one */
    case CORE_SUB:
    case CORE_XOR: *value = whole(prim, 0); return true;
    case CORE_AND:
    case CORE_OR:
    case CORE_MAX:
    case CORE_MIN: *value = x; return true;
    case CORE_EQ:
    case CORE_LE:
    case CORE_GE: *value = core_bool(true); return true;
    case CORE_NE:
    case CORE_LT:
    case CORE_GT: *value = core_bool(false); return true;
    }
    return false;
}

/* IEEE: exact for every x, nan and both zeros included. */
static bool real_identity(CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom *value)
{
    *value = x;
    switch ((int)op) { /* the operators that have one */
    case CORE_ADD: return is_real(y, 0.0, true);
    case CORE_SUB: return is_real(y, 0.0, false);
    case CORE_MUL:
    case CORE_DIV: return is_real(y, 1.0, false);
    case CORE_MAX:
    case CORE_MIN: return core_atom_equal(x, y);
    }
    return false;
}

/* x op y and y op x are the same for all values (on reals: up to the payload of nan). */
static bool is_commutative(CoreOperator op, CorePrim prim)
{
    switch ((int)op) {
    case CORE_ADD:
    case CORE_MUL:
    case CORE_EQ:
    case CORE_NE: return true;
    case CORE_AND:
    case CORE_OR:
    case CORE_XOR:
    case CORE_MAX:
    case CORE_MIN: return !core_is_real(prim);
    }
    return false;
}

/* Operands of commutative operators in one order, constants last, so that equal sums look equal. */
static void order_operands(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y;
    bool wrong = !x.name ? y.name != NULL : y.name && x.name->number > y.name->number;
    if (wrong && is_commutative(exp->as.scalar.op, exp->as.scalar.prim)) {
        CoreExp *ordered = core_exp_copy(s->c, exp);
        ordered->as.scalar.x = y;
        ordered->as.scalar.y = x;
        work->exp = ordered;
    }
}

static void set_unary(Simplify *s, Work *work, CoreOperator op, CorePrim prim, CoreAtom x)
{
    CoreExp *exp = core_exp_copy(s->c, work->exp);
    exp->kind = CORE_EXP_UNARY;
    exp->as.scalar.op = op;
    exp->as.scalar.prim = prim;
    exp->as.scalar.x = exp->as.scalar.y = x;
    work->exp = exp;
}

static bool is_bit(Simplify *s, CoreAtom atom)
{
    Interval bounds = simplify_interval(s, atom, 0);
    return atom.name && bounds.low >= 0 && bounds.high <= 1;
}

/* x * b, b 0 or 1  ==>  x & neg b: multiplications of 64 bits are dear, most of all in vectors. Not
   before the last: sizes of what may be extended are such products. */
static bool product_with_bit(Simplify *s, Work *work)
{
    const CoreExp *old = work->exp;
    CoreAtom x = old->as.scalar.x, y = old->as.scalar.y;
    if (!s->last || old->as.scalar.op != CORE_MUL || old->as.scalar.prim != CORE_I64 || !x.name ||
        !y.name) {
        return false;
    }
    bool first = is_bit(s, x);
    if (!first && !is_bit(s, y)) {
        return false;
    }
    CoreExp *exp = core_exp_copy(s->c, old);
    exp->as.scalar.op = CORE_AND;
    exp->as.scalar.x = first ? y : x;
    exp->as.scalar.y = simplify_unary(s, work, "mask", CORE_NEG, first ? x : y);
    work->exp = exp;
    return true;
}

/* APL's and of numbers is their least common multiple, its or their greatest common divisor: of 0 and 1 they are bits.
       lcm a b  ==>  a & b      gcd a b  ==>  a | b      a, b : i64 from 0 to 1 */
static bool multiple_of_bits(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    CoreOperator op = exp->as.scalar.op;
    if ((op != CORE_LCM && op != CORE_GCD) || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    Interval x = simplify_interval(s, exp->as.scalar.x, 0);
    Interval y = simplify_interval(s, exp->as.scalar.y, 0);
    if (x.low < 0 || x.high > 1 || y.low < 0 || y.high > 1) {
        return false;
    }
    CoreExp *bits = core_exp_copy(s->c, exp);
    bits->as.scalar.op = op == CORE_LCM ? CORE_AND : CORE_OR;
    work->exp = bits;
    return true;
}

/* x == 0 | x == 1  ==>  true, where x is an i64 from 0 to 1; so for any two neighbours. */
static bool one_or_the_other(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (exp->as.scalar.op != CORE_OR || exp->as.scalar.prim != CORE_BOOL) {
        return false;
    }
    CoreAtom number[2], constant[2], both[2] = {exp->as.scalar.x, exp->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        const CoreStm *stm = simplify_definition(s, both[i], false);
        if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_EQ ||
            stm->exp->as.scalar.prim != CORE_I64 || stm->exp->as.scalar.y.name) {
            return false;
        }
        number[i] = stm->exp->as.scalar.x;
        constant[i] = stm->exp->as.scalar.y;
    }
    int64_t low = constant[0].as.integer, high = constant[1].as.integer;
    if (low > high) {
        int64_t other = low;
        low = high;
        high = other;
    }
    Interval range = simplify_interval(s, number[0], 0);
    if (!core_atom_equal(number[0], number[1]) || low == INT64_MAX || high != low + 1 ||
        range.low < low || range.high > high) {
        return false;
    }
    simplify_set_atom(s, work, core_bool(true));
    return true;
}

/* x / y * y + x % y  ==>  x, of integers, also where y is 0: a position taken apart is put together
   again. */
static bool quotient_and_rest(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (exp->as.scalar.op != CORE_ADD || core_is_real(exp->as.scalar.prim)) {
        return false;
    }
    const CoreAtom terms[2] = {exp->as.scalar.x, exp->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        const CoreExp *rest = simplify_operation(s, terms[i], CORE_MOD);
        const CoreExp *product = simplify_operation(s, terms[1 - i], CORE_MUL);
        if (!rest || !product) {
            continue;
        }
        CoreAtom x = product->as.scalar.x, y = product->as.scalar.y;
        bool first = core_atom_equal(y, rest->as.scalar.y);
        const CoreExp *quotient = simplify_operation(s, first ? x : y, CORE_DIV);
        if (quotient && (first || core_atom_equal(x, rest->as.scalar.y)) &&
            core_atom_equal(quotient->as.scalar.y, rest->as.scalar.y) &&
            core_atom_equal(quotient->as.scalar.x, rest->as.scalar.x)) {
            simplify_set_atom(s, work, rest->as.scalar.x);
            return true;
        }
    }
    return false;
}

static bool binary(Simplify *s, Work *work)
{
    if (quotient_and_rest(s, work) || multiple_of_bits(s, work) || one_or_the_other(s, work) ||
        product_with_bit(s, work) || simplify_choice(s, work) || simplify_narrow_sum(s, work)) {
        return true;
    }
    order_operands(s, work);
    const CoreExp *exp = work->exp;
    CoreOperator op = exp->as.scalar.op;
    CorePrim prim = exp->as.scalar.prim;
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y, value;
    bool real = core_is_real(prim);
    if (real ? real_identity(op, x, y, &value)
             : (prim != CORE_CHAR && whole_identity(op, prim, x, y, &value)) ||
                   (core_atom_equal(x, y) && self_identity(op, prim, x, &value))) {
        simplify_set_atom(s, work, value);
        return true;
    }
    if (prim == CORE_BOOL && !y.name && (op == CORE_EQ || op == CORE_NE || op == CORE_XOR)) {
        if ((op == CORE_EQ) ==
            (y.as.integer != 0)) { /* b == true, b != false (b ^ false is above) */
            simplify_set_atom(s, work, x);
        } else {
            set_unary(s, work, CORE_NOT, CORE_BOOL, x);
        }
        return true;
    }
    const CoreStm *inner = simplify_definition(s, x, false);
    if (op == CORE_MOD && !real && inner && inner->exp->kind == CORE_EXP_BINARY &&
        inner->exp->as.scalar.op == CORE_MOD && core_atom_equal(inner->exp->as.scalar.y, y)) {
        simplify_set_atom(s, work, x); /* x % y % y, also where y is 0 */
        return true;
    }
    if (is_int(x, 0) && (op == CORE_DIV || op == CORE_MOD) && !real) { /* 0 / y, 0 % y */
        simplify_set_atom(s, work, x);
        return true;
    }
    return shorter_sum(s, work);
}

/* abs x  ==>  x or neg x, where the sign of an i64 is known; of the least one both are itself. */
static bool known_sign(Simplify *s, Work *work)
{
    CoreAtom x = work->exp->as.scalar.x;
    if (work->exp->as.scalar.op != CORE_ABS || work->exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    Interval range = simplify_interval(s, x, 0);
    if (range.low >= 0) {
        simplify_set_atom(s, work, x);
    } else if (range.high <= 0) {
        set_unary(s, work, CORE_NEG, CORE_I64, x);
    } else {
        return false;
    }
    return true;
}

static bool unary(Simplify *s, Work *work)
{
    if (known_sign(s, work)) {
        return true;
    }
    const CoreExp *exp = work->exp;
    const CoreStm *inner = simplify_definition(s, exp->as.scalar.x, false);
    CoreOperator op = exp->as.scalar.op, other;
    if (!inner) {
        return shorter_sum(s, work);
    }
    const CoreExp *from = inner->exp;
    if (from->kind == CORE_EXP_UNARY && from->as.scalar.op == op &&
        (op == CORE_NEG || op == CORE_NOT)) {
        simplify_set_atom(s, work, from->as.scalar.x);
        return true;
    }
    if (from->kind == CORE_EXP_UNARY && op == CORE_ABS && core_is_real(exp->as.scalar.prim) &&
        (from->as.scalar.op == CORE_ABS || from->as.scalar.op == CORE_NEG)) {
        set_unary(s, work, CORE_ABS, exp->as.scalar.prim, from->as.scalar.x);
        return true;
    }
    if (from->kind == CORE_EXP_BINARY && op == CORE_NOT && exp->as.scalar.prim == CORE_BOOL &&
        core_operator_opposite(from->as.scalar.op, from->as.scalar.prim, &other)) {
        CoreExp *comparison = core_exp_copy(s->c, from);
        comparison->as.scalar.op = other;
        work->exp = comparison;
        return true;
    }
    if (from->kind == CORE_EXP_CONVERT && (op == CORE_FLOOR || op == CORE_CEIL) &&
        !core_is_real(core_atom_type(from->as.convert.x).prim)) {
        simplify_set_atom(s, work, exp->as.scalar.x); /* whole already */
        return true;
    }
    return shorter_sum(s, work);
}

bool simplify_algebra(Simplify *s, Work *work)
{
    bool changed = work->exp->kind == CORE_EXP_BINARY    ? binary(s, work)
                   : work->exp->kind == CORE_EXP_UNARY   ? unary(s, work)
                   : work->exp->kind == CORE_EXP_CONVERT ? simplify_convert(s, work)
                                                         : false;
    if (changed) {
        simplify_fired(s, CORE_RULE_ALGEBRA);
    }
    return changed;
}

/* ---- loop state that stays what it was, by induction ----------------------------------------- */

typedef struct Induction {
    Simplify *s;
    const CoreExp *loop;
    bool *stays; /* parameters that are taken for their initial values */
} Induction;

/* The form of an i64 in the body, where parameters are their initial values. */
static bool evaluate(const Induction *in, CoreAtom atom, int fuel, Linear *form)
{
    Linear room, x, y;
    const CoreStm *stm = simplify_definition(in->s, atom, false);
    for (size_t i = 0; i < in->loop->as.loop.parameter_count; i++) {
        if (in->stays[i] && in->loop->as.loop.parameters[i] == atom.name) {
            *form = *simplify_linear(in->s, in->loop->as.loop.initial[i], &room);
            return true;
        }
    }
    *form = (Linear){.constant = (uint64_t)atom.as.integer};
    if (!atom.name) {
        return true;
    }
    *form = (Linear){.count = 1, .terms = {{atom.name, 1}}};
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.prim != CORE_I64 ||
        fuel == 0) {
        return true;
    }
    CoreOperator op = stm->exp->as.scalar.op;
    if ((op != CORE_ADD && op != CORE_SUB && op != CORE_MUL) ||
        !evaluate(in, stm->exp->as.scalar.x, fuel - 1, &x) ||
        !evaluate(in, stm->exp->as.scalar.y, fuel - 1, &y)) {
        return true;
    }
    bool product = op == CORE_MUL;
    if (product && x.count > 0 && y.count > 0) {
        return true;
    }
    Linear sum = {0};
    bool fits = product && x.count == 0 ? simplify_add_linear(&sum, x.constant, &y)
                : product               ? simplify_add_linear(&sum, y.constant, &x)
                                        : simplify_add_linear(&sum, 1, &x) &&
                                simplify_add_linear(&sum, op == CORE_ADD ? 1 : (uint64_t)-1, &y);
    if (fits) {
        *form = sum;
    }
    return true;
}

static bool stays(const Induction *in, size_t i)
{
    enum { FUEL = 8 };
    Linear next, room;
    return evaluate(in, in->loop->as.loop.body->results[i], FUEL, &next) &&
           simplify_add_linear(&next, (uint64_t)-1,
                               simplify_linear(in->s, in->loop->as.loop.initial[i], &room)) &&
           next.count == 0 && next.constant == 0;
}

/* let (r : i64) = ... in the body becomes let (r : i64) = p. */
static const CoreBody *with_alias(Simplify *s, const CoreBody *old, const CoreStm *definition,
                                  CoreName *parameter)
{
    CoreBody *body = arena_copy(s->c->arena, old, sizeof *old);
    const CoreStm **stms =
        arena_copy(s->c->arena, old->stms, old->stm_count * sizeof(const CoreStm *));
    for (size_t i = 0; i < old->stm_count; i++) {
        if (stms[i] == definition) {
            Work alias = {0};
            CoreStm *stm = arena_copy(s->c->arena, definition, sizeof *stm);
            simplify_set_atom(s, &alias, core_use(parameter));
            stm->exp = alias.exp;
            stms[i] = stm;
        }
    }
    body->stms = stms;
    return body;
}

/* [L0 6.1]  loop (m = n) ... do { let (r) = n + k*(m - n) in (r) }  ==>  ... { let (r) = m in (r) }
             r is n where m is n, so m is n in every iteration. The next round sees m unchanged. */
const CoreBody *simplify_induction(Simplify *s, const CoreExp *loop)
{
    enum { MOST_STATE = 32 }; /* each is looked for in the sums of all others */
    size_t count = loop->as.loop.parameter_count;
    const CoreBody *body = loop->as.loop.body;
    if (count > MOST_STATE) {
        return body;
    }
    Induction in = {s, loop, ARENA_ARRAY(s->arena, bool, count)};
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        CoreType type = loop->as.loop.parameters[i]->type;
        const CoreStm *stm = simplify_definition(s, body->results[i], false);
        in.stays[i] = type.rank == 0 && type.prim == CORE_I64 && stm &&
                      stm->exp->kind == CORE_EXP_BINARY &&
                      simplify_fact(s, body->results[i].name)->depth == s->depth + 1;
        changed = changed || in.stays[i];
    }
    while (changed) { /* each time without those that did not stay */
        changed = false;
        for (size_t i = 0; i < count; i++) {
            if (in.stays[i] && !stays(&in, i)) {
                in.stays[i] = false;
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (in.stays[i]) {
            body = with_alias(s, body, simplify_definition(s, body->results[i], false),
                              loop->as.loop.parameters[i]);
            simplify_fired(s, CORE_RULE_INVARIANT_STATE);
        }
    }
    return body;
}
