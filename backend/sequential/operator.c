/* What the operator of a fold of keys and places does, tried in each case: how the key and the place that there are compare
   with those of the iteration. In a case each expression is a number, one side's key or place, or what one place lacks to
   be the other one (which `y + (x - y & mask)` adds or not); anything else is not known, and then the fold stays. */
#include "backend/sequential/extremes.h"

/* Expressions that are gone through in a case. */
enum { MOST_EXPRESSIONS = 200 };

typedef enum Side { OLD_KEY, OWN_KEY, OLD_PLACE, OWN_PLACE, NO_SIDE } Side;

/* How the old one compares with that of the iteration. */
typedef enum Order { LESS, EQUAL, GREATER, UNORDERED } Order;

/* What an expression is in one case. */
typedef struct Meaning {
    enum { UNKNOWN, NUMBER, ONE_SIDE, CHANGE /* side - from, of places */ } kind;
    int64_t number;
    Side side, from;
} Meaning;

typedef struct Case {
    const Extremes *e;
    const Fold *fold;
    Order keys, places;
    size_t *budget;
} Case;

static Meaning of_number(int64_t number)
{
    return (Meaning){.kind = NUMBER, .number = number};
}

static Meaning of_side(Side side)
{
    return side == NO_SIDE ? (Meaning){0} : (Meaning){.kind = ONE_SIDE, .side = side};
}

static bool is_number(Meaning x, int64_t number)
{
    return x.kind == NUMBER && x.number == number;
}

/* How x compares with y; false where it is not known. */
static bool compare(const Case *at, Meaning x, Meaning y, Order *order)
{
    if (x.kind != ONE_SIDE || y.kind != ONE_SIDE || x.side == y.side ||
        (x.side < OLD_PLACE) != (y.side < OLD_PLACE)) {
        return false;
    }
    *order = x.side < OLD_PLACE ? at->keys : at->places;
    if (x.side > y.side && *order != UNORDERED) {
        *order = *order == LESS ? GREATER : *order == GREATER ? LESS : EQUAL;
    }
    return true;
}

static Meaning of_comparison(const Case *at, CoreOperator op, Meaning x, Meaning y)
{
    Order order;
    if (!compare(at, x, y, &order)) {
        return (Meaning){0};
    }
    switch ((int)op) {
    case CORE_LT: return of_number(order == LESS);
    case CORE_LE: return of_number(order == LESS || order == EQUAL);
    case CORE_GT: return of_number(order == GREATER);
    case CORE_GE: return of_number(order == GREATER || order == EQUAL);
    case CORE_EQ: return of_number(order == EQUAL);
    case CORE_NE: return of_number(order != EQUAL);
    case CORE_MIN: return order == LESS ? x : y;
    case CORE_MAX: return order == GREATER ? x : y;
    }
    return (Meaning){0};
}

static Meaning of_numbers(CoreOperator op, CorePrim prim, int64_t x, int64_t y)
{
    switch ((int)op) {
    case CORE_AND: return of_number(x & y);
    case CORE_OR: return of_number(x | y);
    case CORE_XOR: return of_number(x ^ y);
    case CORE_EQ: return of_number(x == y);
    case CORE_NE: return of_number(x != y);
    case CORE_SUB: return prim == CORE_BOOL ? (Meaning){0} : of_number(x - y);
    }
    return (Meaning){0};
}

/* A place and what it lacks to be another one, or nothing: y + (x - y & mask). */
static Meaning of_sum(Meaning x, Meaning y)
{
    if (x.kind != ONE_SIDE) {
        Meaning other = x;
        x = y;
        y = other;
    }
    if (x.kind == ONE_SIDE && is_number(y, 0)) {
        return x;
    }
    bool fits = x.kind == ONE_SIDE && y.kind == CHANGE && y.from == x.side;
    return fits ? of_side(y.side) : (Meaning){0};
}

/* change & -1, change * 1; 0 of either. */
static Meaning of_masked(Meaning change, Meaning mask, int64_t all)
{
    if (change.kind != CHANGE) {
        Meaning other = change;
        change = mask;
        mask = other;
    }
    return change.kind != CHANGE  ? (Meaning){0}
           : is_number(mask, all) ? change
           : is_number(mask, 0)   ? mask
                                  : (Meaning){0};
}

static Meaning of_binary(const Case *at, const KernelExp *exp, Meaning x, Meaning y)
{
    CoreOperator op = exp->as.scalar.op;
    if (x.kind == NUMBER && y.kind == NUMBER) {
        return of_numbers(op, exp->prim, x.number, y.number);
    }
    switch ((int)op) {
    case CORE_ADD: return of_sum(x, y);
    case CORE_AND: return of_masked(x, y, -1);
    case CORE_MUL: return of_masked(x, y, 1);
    case CORE_SUB:
        if (x.kind == ONE_SIDE && y.kind == ONE_SIDE && x.side != y.side && x.side >= OLD_PLACE &&
            y.side >= OLD_PLACE) {
            return (Meaning){.kind = CHANGE, .side = x.side, .from = y.side};
        }
        return (Meaning){0};
    }
    return of_comparison(at, op, x, y);
}

static Meaning of_unary(CoreOperator op, CorePrim prim, Meaning x)
{
    if (x.kind == NUMBER && op == CORE_NOT) {
        return of_number(prim == CORE_BOOL ? !x.number : ~x.number);
    }
    return x.kind == NUMBER && op == CORE_NEG ? of_number(-x.number) : (Meaning){0};
}

static Side side_of(const Fold *fold, const KernelVariable *variable)
{
    return variable == fold->key         ? OLD_KEY
           : variable == fold->own_key   ? OWN_KEY
           : variable == fold->place     ? OLD_PLACE
           : variable == fold->own_place ? OWN_PLACE
                                         : NO_SIDE;
}

static Meaning meaning_of(const Case *at, const KernelExp *exp)
{
    if (*at->budget == 0) {
        return (Meaning){0};
    }
    --*at->budget;
    switch (exp->kind) {
    case KERNEL_CONSTANT: {
        int64_t number = core_is_real(exp->prim) ? 2 : exp->as.constant.as.integer;
        return number >= -1 && number <= 1 ? of_number(number) : (Meaning){0};
    }
    case KERNEL_VARIABLE:
        return !pointer_map_get(&at->e->depends, exp->as.variable) ||
                       !pointer_map_get(&at->e->values, exp->as.variable)
                   ? of_side(side_of(at->fold, exp->as.variable))
                   : meaning_of(at, pointer_map_get(&at->e->values, exp->as.variable));
    case KERNEL_UNARY:
        return of_unary(exp->as.scalar.op, exp->prim, meaning_of(at, exp->as.scalar.x));
    case KERNEL_BINARY:
        return of_binary(at, exp, meaning_of(at, exp->as.scalar.x),
                         meaning_of(at, exp->as.scalar.y));
    case KERNEL_CONVERT: {
        Meaning x = meaning_of(at, exp->as.convert);
        return x.kind == NUMBER && exp->as.convert->prim == CORE_BOOL && core_is_int(exp->prim)
                   ? x
                   : (Meaning){0};
    }
    case KERNEL_SELECT: {
        Meaning condition = meaning_of(at, exp->as.select.condition);
        return condition.kind != NUMBER
                   ? (Meaning){0}
                   : meaning_of(at, condition.number ? exp->as.select.x : exp->as.select.y);
    }
    case KERNEL_LOAD: break;
    }
    return (Meaning){0};
}

bool extremes_is_any_equal(const Fold *fold)
{
    return !core_is_real(fold->key->prim) || fold->key->is_total;
}

/* Which side the operator takes: 1: what there is, -1: that of the iteration, 0: neither. Of equal keys only the
   place counts, of equal places only the key. */
static int choice(const Extremes *e, const Fold *fold, const KernelExp *const next[2], Order keys,
                  Order places)
{
    size_t budget = MOST_EXPRESSIONS;
    Case at = {e, fold, keys, places, &budget};
    Meaning key = meaning_of(&at, next[0]), place = meaning_of(&at, next[1]);
    bool is_key = key.kind == ONE_SIDE && (key.side == OLD_KEY || key.side == OWN_KEY);
    bool is_place = place.kind == ONE_SIDE && (place.side == OLD_PLACE || place.side == OWN_PLACE);
    if (!is_key || !is_place) {
        return 0;
    }
    int of_key = key.side == OLD_KEY ? 1 : -1, of_place = place.side == OLD_PLACE ? 1 : -1;
    if (keys == EQUAL) {
        return extremes_is_any_equal(fold) || of_key == of_place ? of_place : 0;
    }
    return places == EQUAL || of_key == of_place ? of_key : 0;
}

bool extremes_try_operator(const Extremes *e, Fold *fold, const KernelExp *const next[2])
{
    int chosen[4][3];
    for (int keys = LESS; keys <= UNORDERED; keys++) {
        for (int places = LESS; places <= GREATER; places++) {
            chosen[keys][places] = choice(e, fold, next, (Order)keys, (Order)places);
        }
    }
    fold->best = chosen[LESS][EQUAL] > 0 ? CORE_MIN : CORE_MAX;
    int less = fold->best == CORE_MIN ? 1 : -1;
    for (int places = LESS; places <= GREATER; places++) {
        if (chosen[LESS][places] != less || chosen[GREATER][places] != -less ||
            (core_is_real(fold->key->prim) && chosen[UNORDERED][places] != 1)) {
            return false;
        }
    }
    const int *tie = chosen[EQUAL];
    fold->is_first = tie[LESS] == 1 && tie[EQUAL] == 1 && tie[GREATER] == 1;
    return fold->is_first || (tie[LESS] == 1 && tie[GREATER] == -1);
}
