/* Sums of two products with opposite bits, APL's way to choose, as choices:

       (a * f64 c) + (b * f64 d)      d is true where c is not
       ==>  (if c then a else b) + 0.0

   Products with 0 and 1 tell apart what a choice does not. With nan and infinities: 0 times these is
   nan. With nan as an operand of c and d: both are false then. With signs of zeros: -3 * 0 is -0. So
   the rule is for a and b

   - that are finite or nan, by intervals of what they are computed from, whatever that is:

         k = 1 / (1 + 0.23 * |x|)     0 <= k <= 1, or nan

   - of which one is nan exactly where the other is, as 1 - a is: the numbers that decide whether they
     are (their roots) are the same; and which are nan where an operand of the comparisons is;
   - of which one is surely greater than 0: where that one is chosen, a zero beside it does not show,
     and where the other one is, the zero beside it is +0, which is what the rule adds.

   Intervals are widened in each operation by more than operations and functions round. */
#include "core/simplify/simplify.h"

#include <math.h>

enum { MOST_VISITS = 20000, MOST_ROOTS = 8, MOST_DEPTH = 60 };
#define WIDER 1e-10
#define LEAST 1e-200 /* surely no zero, however small numbers are rounded */

typedef struct Range {
    double low, high; /* of what is not nan */
} Range;

typedef struct Choice {
    Simplify *s;
    int visits; /* left: a number that is used often is looked at often */
} Choice;

/* The atoms that decide whether a number is nan: it is where one of them is. */
typedef struct Roots {
    CoreAtom items[MOST_ROOTS];
    int count;
    bool too_many;
} Roots;

static const Range anything = {-INFINITY, INFINITY};

static const CoreExp *definition(Choice *choice, CoreAtom atom)
{
    const CoreStm *stm = simplify_definition(choice->s, atom, false);
    return stm && stm->pattern_count == 1 ? stm->exp : NULL;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static Range widened(double low, double high)
{
    if (isnan(low) || isnan(high)) {
        return anything;
    }
    return (Range){isinf(low) ? low : low - fabs(low) * WIDER,
                   isinf(high) ? high : high + fabs(high) * WIDER};
}

static double product(double x, double y)
{
    return x == 0 || y == 0 ? 0 : x * y; /* 0 times infinity is nan, and not in the range */
}

static double quotient(double x, double y)
{
    return x == 0 || isinf(y) ? 0 : x / y;
}

static Range corners(double (*f)(double, double), Range x, Range y)
{
    double values[] = {f(x.low, y.low), f(x.low, y.high), f(x.high, y.low), f(x.high, y.high)};
    Range r = {values[0], values[0]};
    for (int i = 1; i < 4; i++) {
        r.low = fmin(r.low, values[i]);
        r.high = fmax(r.high, values[i]);
    }
    return widened(r.low, r.high);
}

static bool is_finite(Range r)
{
    return isfinite(r.low) && isfinite(r.high);
}

static Range range_of(Choice *choice, CoreAtom atom, int depth);

static Range range_of_unary(Range x, CoreOperator op)
{
    switch ((int)op) { /* those of which it is known */
    case CORE_NEG: return (Range){-x.high, -x.low};
    case CORE_ABS:
        return (Range){x.low > 0 ? x.low : x.high < 0 ? -x.high : 0, fmax(-x.low, x.high)};
    case CORE_EXP: {
        Range r = widened(exp(x.low), exp(x.high));
        return (Range){fmax(r.low, 0), r.high};
    }
    case CORE_SIN:
    case CORE_COS:
    case CORE_TANH: return widened(-1, 1);
    case CORE_ATAN: return widened(-2, 2);
    case CORE_SQRT: return (Range){0, x.high < 0 ? 0 : widened(0, sqrt(x.high)).high};
    }
    return anything;
}

static Range range_of_binary(Choice *choice, const CoreExp *exp, int depth)
{
    Range x = range_of(choice, exp->as.scalar.x, depth),
          y = range_of(choice, exp->as.scalar.y, depth);
    switch ((int)exp->as.scalar.op) { /* those of which it is known */
    case CORE_ADD: return widened(x.low + y.low, x.high + y.high);
    case CORE_SUB: return widened(x.low - y.high, x.high - y.low);
    case CORE_MUL: {
        Range r = corners(product, x, y);
        bool is_square = core_atom_equal(exp->as.scalar.x, exp->as.scalar.y);
        return is_square ? (Range){fmax(r.low, 0), r.high} : r;
    }
    case CORE_DIV: return y.low > 0 || y.high < 0 ? corners(quotient, x, y) : anything;
    }
    return anything;
}

/* Where the double lies if it is no nan. */
static Range range_of(Choice *choice, CoreAtom atom, int depth)
{
    if (!atom.name) {
        double value = atom.as.real;
        return isnan(value) ? anything : (Range){value, value};
    }
    const CoreExp *exp = depth < MOST_DEPTH ? definition(choice, atom) : NULL;
    if (!exp || choice->visits-- <= 0) {
        return anything;
    }
    if (exp->kind == CORE_EXP_UNARY && exp->as.scalar.prim == CORE_F64) {
        return range_of_unary(range_of(choice, exp->as.scalar.x, depth + 1), exp->as.scalar.op);
    }
    if (exp->kind == CORE_EXP_BINARY && exp->as.scalar.prim == CORE_F64) {
        return range_of_binary(choice, exp, depth + 1);
    }
    if (exp->kind == CORE_EXP_CONVERT) {
        CorePrim from = core_atom_type(exp->as.convert.x).prim;
        return from == CORE_BOOL   ? (Range){0, 1}
               : core_is_int(from) ? (Range){-0x1p+63, 0x1p+63}
                                   : anything;
    }
    return anything;
}

/* ---- nan ------------------------------------------------------------------------------------- */

/* Nan where an operand is. */
static bool is_strict(const CoreExp *exp)
{
    bool scalar = (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) &&
                  exp->as.scalar.prim == CORE_F64;
    switch (scalar ? (int)exp->as.scalar.op : -1) {
    case CORE_ADD:
    case CORE_SUB:
    case CORE_MUL:
    case CORE_DIV:
    case CORE_NEG:
    case CORE_ABS:
    case CORE_EXP:
    case CORE_LOG:
    case CORE_SQRT:
    case CORE_SIN:
    case CORE_COS:
    case CORE_TANH:
    case CORE_ATAN: return true;
    }
    return false;
}

/* Nan where an operand is and nowhere else. */
static bool is_exactly_strict(Choice *choice, const CoreExp *exp, int depth)
{
    if (!is_strict(exp)) {
        return false;
    }
    Range x = range_of(choice, exp->as.scalar.x, depth);
    switch ((int)exp->as.scalar.op) {
    case CORE_ADD:
    case CORE_SUB:
    case CORE_MUL: return is_finite(x) && is_finite(range_of(choice, exp->as.scalar.y, depth));
    case CORE_NEG:
    case CORE_ABS:
    case CORE_EXP: return true;
    }
    return false;
}

static void add_root(Roots *roots, CoreAtom atom)
{
    for (int i = 0; i < roots->count; i++) {
        if (core_atom_equal(roots->items[i], atom)) {
            return;
        }
    }
    if (roots->count == MOST_ROOTS) {
        roots->too_many = true;
    } else {
        roots->items[roots->count++] = atom;
    }
}

static void find_roots(Choice *choice, Roots *roots, CoreAtom atom, int depth)
{
    if (!atom.name) {
        roots->too_many = roots->too_many || isnan(atom.as.real);
        return;
    }
    const CoreExp *exp = depth < MOST_DEPTH ? definition(choice, atom) : NULL;
    if (exp && exp->kind == CORE_EXP_CONVERT &&
        !core_is_real(core_atom_type(exp->as.convert.x).prim)) {
        return;
    }
    if (!exp || choice->visits-- <= 0 || !is_exactly_strict(choice, exp, depth + 1)) {
        add_root(roots, atom);
        return;
    }
    find_roots(choice, roots, exp->as.scalar.x, depth + 1);
    if (exp->kind == CORE_EXP_BINARY) {
        find_roots(choice, roots, exp->as.scalar.y, depth + 1);
    }
}

static bool same_roots(const Roots *a, const Roots *b)
{
    bool same = !a->too_many && !b->too_many && a->count == b->count;
    for (int i = 0; same && i < a->count; i++) {
        same = false;
        for (int k = 0; k < b->count && !same; k++) {
            same = core_atom_equal(a->items[i], b->items[k]);
        }
    }
    return same;
}

/* Whether `atom` is nan where `source` is. */
static bool follows(Choice *choice, CoreAtom atom, CoreAtom source, int depth)
{
    if (core_atom_equal(atom, source)) {
        return true;
    }
    const CoreExp *exp = atom.name && depth < MOST_DEPTH ? definition(choice, atom) : NULL;
    if (!exp || choice->visits-- <= 0 || !is_strict(exp)) {
        return false;
    }
    return follows(choice, exp->as.scalar.x, source, depth + 1) ||
           (exp->kind == CORE_EXP_BINARY && follows(choice, exp->as.scalar.y, source, depth + 1));
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* value * f64 bit */
static bool is_product_with_bool(Choice *choice, CoreAtom atom, CoreAtom *value, CoreAtom *bit)
{
    const CoreExp *exp = definition(choice, atom);
    if (!exp || exp->kind != CORE_EXP_BINARY || exp->as.scalar.op != CORE_MUL) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        CoreAtom factor = side ? exp->as.scalar.y : exp->as.scalar.x;
        const CoreExp *from = definition(choice, factor);
        if (from && from->kind == CORE_EXP_CONVERT &&
            core_atom_type(from->as.convert.x).prim == CORE_BOOL) {
            *value = side ? exp->as.scalar.x : exp->as.scalar.y;
            *bit = from->as.convert.x;
            return true;
        }
    }
    return false;
}

/* Whether the bits are opposite where no operand of theirs is nan; `operands`: those that could be. */
static bool are_opposite(Choice *choice, CoreAtom c, CoreAtom d, CoreAtom operands[2], int *count)
{
    const CoreExp *first = definition(choice, c), *second = definition(choice, d);
    *count = 0;
    if (!first || !second) {
        return false;
    }
    if (second->kind == CORE_EXP_UNARY && second->as.scalar.op == CORE_NOT) {
        return core_atom_equal(second->as.scalar.x, c);
    }
    if (first->kind == CORE_EXP_UNARY && first->as.scalar.op == CORE_NOT) {
        return core_atom_equal(first->as.scalar.x, d);
    }
    if (first->kind != CORE_EXP_BINARY || second->kind != CORE_EXP_BINARY ||
        first->as.scalar.prim != second->as.scalar.prim ||
        !core_atom_equal(first->as.scalar.x, second->as.scalar.x) ||
        !core_atom_equal(first->as.scalar.y, second->as.scalar.y)) {
        return false;
    }
    if (core_is_real(first->as.scalar.prim)) {
        operands[(*count)++] = first->as.scalar.x;
        operands[(*count)++] = first->as.scalar.y;
    }
    CoreOperator one = first->as.scalar.op, other = second->as.scalar.op;
    return (one == CORE_LT && other == CORE_GE) || (one == CORE_GE && other == CORE_LT) ||
           (one == CORE_GT && other == CORE_LE) || (one == CORE_LE && other == CORE_GT);
}

static bool may_choose(Choice *choice, CoreAtom a, CoreAtom b, const CoreAtom *operands, int count)
{
    Range of_a = range_of(choice, a, 0), of_b = range_of(choice, b, 0);
    Roots roots_a = {.count = 0}, roots_b = {.count = 0};
    if (!is_finite(of_a) || !is_finite(of_b) || !(of_a.low > LEAST || of_b.low > LEAST)) {
        return false;
    }
    find_roots(choice, &roots_a, a, 0);
    find_roots(choice, &roots_b, b, 0);
    if (!same_roots(&roots_a, &roots_b)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        bool is_number = operands[i].name ? false : !isnan(operands[i].as.real);
        if (!is_number && !follows(choice, a, operands[i], 0)) {
            return false;
        }
    }
    return choice->visits > 0;
}

bool simplify_choice(Simplify *s, Work *work)
{
    Choice choice = {s, MOST_VISITS};
    const CoreExp *exp = work->exp;
    CoreAtom a, b, c, d, operands[2];
    int count;
    if (!s->last || exp->kind != CORE_EXP_BINARY || exp->as.scalar.op != CORE_ADD ||
        exp->as.scalar.prim != CORE_F64 ||
        !is_product_with_bool(&choice, exp->as.scalar.x, &a, &c) ||
        !is_product_with_bool(&choice, exp->as.scalar.y, &b, &d) ||
        !are_opposite(&choice, c, d, operands, &count) ||
        !may_choose(&choice, a, b, operands, count)) {
        return false;
    }
    CoreBuilder yes = core_builder(s->c, work->span), no = yes;
    const CoreExp *chosen = core_exp_if(s->c, c, core_body(&yes, 1, &a), core_body(&no, 1, &b));
    CoreExp *sum = core_exp_copy(s->c, exp);
    sum->as.scalar.x = simplify_let(s, work, "chosen", core_scalar(CORE_F64), chosen);
    sum->as.scalar.y = core_real(CORE_F64, 0.0);
    work->exp = sum;
    return true;
}
