/* Sets, searching, ordering, number systems, and expand.

       ∪v  v∪w  v∩w  v~w      vectors; what remains has an extent of run time
       ⍸b  v⍸w  v⍷w  ⍋v  ⍒v   positions count from ⎕IO
       a⊥w  a⊤w               as inner product and residues
       b\v                    items of v and fill elements

   What can be said in APL is in the prelude; here are the checks and what depends on ranks. */
#include "apl/elaborate/internal.h"
#include <float.h>
#include <math.h>

/* A vector; a scalar becomes one of one item. */
static Value *list(Elaboration *e, Value *value, const Call *call)
{
    if (value->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "an argument of rank %lld; %s (%s) takes vectors",
                  (long long)value->rank, apl_primitive_glyph(call->primitive),
                  apl_primitive_name(call->primitive));
    }
    return elab_ravel(e, value, call->span);
}

Value *elab_from_one(Elaboration *e, Value *positions, const Call *call)
{
    if (call->origin == 1) {
        return positions;
    }
    Call minus = {.primitive = APL_MINUS,
                  .left = positions,
                  .right = elab_int(e, 1, call->span),
                  .span = call->span};
    return elab_scalar_function(e, &minus);
}

/* ---- ⍳ and ∊ --------------------------------------------------------------------------------- */

/* Up to this many, comparing all with all is cheaper than sorting. */
enum { FEW = 16 };

/* Whole numbers of the host: run time knows whether a table of what lies between them is small. */
bool elab_may_be_close(const Elaboration *e, const Value *keys)
{
    return keys->base == TAIL_INT && keys->rank == 1 && e->parallel == 0 && e->group == NULL;
}

/* How whole numbers are looked up that a table with a place for each number is too small for, or, with `own`, found among
   themselves: what runs on one processor hashes them, and what runs in parallel sorts them. */
static Value *search_far(Elaboration *e, bool own)
{
    bool narrow = e->c->options.int_bits == 32;
    if (!e->c->options.sequential) {
        return elab_prelude(e, own ? "∆searchOwnInts" : "∆searchInts");
    }
    return elab_prelude(e, own ? (narrow ? "∆searchOwnHashed32" : "∆searchOwnHashed64")
                               : (narrow ? "∆searchHashed32" : "∆searchHashed64"));
}

/* ⍺⍳⍵ by the order of keys: < with a place for nan, complex numbers by both parts. Of items among
   themselves, equal ones are neighbours in that order. */
static Value *search(Elaboration *e, Value *keys, Value *items, Span span)
{
    bool own = keys == items;
    if (elab_may_be_close(e, keys)) {
        return elab_apply_prelude_operator(e, own ? "∆searchOwnClose" : "∆searchClose",
                                           search_far(e, own), NULL, own ? NULL : keys, items,
                                           span);
    }
    bool is_complex = keys->base == TAIL_COMPLEX;
    Value *order = elab_prelude(e, is_complex ? "∆orderParts" : "∆order");
    if (own) {
        return elab_apply_prelude_operator(e, "∆searchOwn", order, NULL, NULL, items, span);
    }
    Value *less = is_complex                  ? elab_prelude(e, "∆lessParts")
                  : keys->base == TAIL_DOUBLE ? elab_prelude(e, "∆less")
                                              : elab_function(e, elab_primitive(e, APL_LESS, span));
    return elab_apply_prelude_operator(e, "∆search", less, order, keys, items, span);
}

static bool few(const Value *value)
{
    int64_t count = elab_count(value);
    return count >= 0 && count <= FEW;
}

Value *elab_index_of(Elaboration *e, Value *keys, Value *items, Span span)
{
    bool same_kind = elab_numeric(keys->base) == elab_numeric(items->base);
    if (keys->rank != 1 || !same_kind || few(keys) || few(items)) {
        return elab_apply_prelude(e, "∆indexof", keys, items, span);
    }
    bool own = keys->exp == items->exp; /* the items among themselves */
    Value *found = own ? elab_group_firsts(e, keys, span) : NULL;
    if (found != NULL) {
        return found;
    }
    if (keys->base == TAIL_CHAR) {
        keys = elab_codes(e, keys, span);
        items = elab_codes(e, items, span);
    }
    TailBaseKind base = elab_join_bases(e, keys->base, items->base, span, "⍳");
    keys = elab_cast(e, keys, base == TAIL_BOOL ? TAIL_INT : base, span);
    return search(e, keys, own ? keys : elab_cast(e, items, keys->base, span), span);
}

Value *elab_rule_epsilon(Elaboration *e, const Call *call)
{
    if (call->left == NULL) {
        return elab_ravel(e, call->right, call->span);
    }
    Value *items = call->left, *keys = call->right;
    if (elab_numeric(items->base) != elab_numeric(keys->base)) { /* nothing is found */
        keys = elab_reshape(e, elab_int(e, 0, call->span), keys, call->span);
    }
    if (few(keys) || few(items)) {
        return elab_apply_prelude(e, "∆member", items, keys, call->span);
    }
    keys = elab_ravel(e, keys, call->span);
    Call less_equal = {.primitive = APL_LESS_EQUAL,
                       .left = elab_index_of(e, keys, items, call->span),
                       .right = elab_extent(e, keys, 0, call->span),
                       .span = call->span};
    return elab_scalar_function(e, &less_equal);
}

/* ---- sets ---------------------------------------------------------------------------- */

Value *elab_rule_union(Elaboration *e, const Call *call)
{
    Value *right = list(e, call->right, call);
    if (call->left == NULL) {
        if (right->base == TAIL_COMPLEX || few(right) || e->group != NULL) {
            return elab_apply_prelude(e, "∆unique", NULL, right, call->span);
        }
        Value *keys = right->base == TAIL_CHAR ? elab_codes(e, right, call->span) : right;
        if (elab_may_be_close(e, keys)) {
            const char *far = e->c->options.sequential ? "∆uniqueFound" : "∆uniqueInts";
            return elab_apply_prelude_operator(e, "∆uniqueClose", elab_prelude(e, far), NULL, right,
                                               keys, call->span);
        }
        return elab_apply_prelude(e, "∆uniqueSorted", NULL, right, call->span);
    }
    return elab_apply_prelude(e, "∆union", list(e, call->left, call), right, call->span);
}

Value *elab_rule_intersection(Elaboration *e, const Call *call)
{
    Value *left = list(e, call->left, call);
    return elab_apply_prelude(e, "∆intersection", left, list(e, call->right, call), call->span);
}

/* ⍺~⍵; the monadic one is a scalar function. */
Value *elab_rule_without(Elaboration *e, const Call *call)
{
    Value *left = list(e, call->left, call);
    Value *right = elab_ravel(e, call->right, call->span);
    return elab_apply_prelude(e, "∆without", left, right, call->span);
}

/* ---- positions ----------------------------------------------------------------------- */

/* The keys, after a DOMAIN ERROR where one is less than the one before: with `named` it is said. */
static Value *ascending(Elaboration *e, Value *keys, bool named, Span span)
{
    if (elab_known_empty(keys) || elab_one_element(keys)) {
        return keys;
    }
    Value *place = elab_apply_prelude(e, "∆descent", NULL, keys, span);
    Call compare = {.primitive = APL_LESS_EQUAL,
                    .left = elab_extent(e, keys, 0, span),
                    .right = place,
                    .span = span};
    Value *key = !named ? NULL : elab_first(e, elab_drop(e, 0, place, keys, span), span);
    if (key != NULL && key->base == TAIL_BOOL) {
        key = elab_cast(e, key, TAIL_INT, span);
    }
    return elab_require(e, elab_scalar_function(e, &compare), key, keys,
                        "the left argument of ⍸ must ascend", span);
}

Value *elab_rule_where(Elaboration *e, const Call *call)
{
    if (call->left != NULL) {
        Value *keys = list(e, call->left, call), *items = call->right;
        bool text = keys->base == TAIL_CHAR;
        if (text && items->base == TAIL_CHAR) {
            keys = elab_codes(e, keys, call->span);
            items = elab_codes(e, items, call->span);
        }
        keys = ascending(e, keys, !text, call->span);
        Value *places = elab_apply_prelude(e, "∆interval", keys, items, call->span);
        return elab_from_one(e, places, call);
    }
    Value *counts = call->right;
    if (counts->rank > 1) {
        return elab_where_positions(e, call);
    }
    if (counts->base == TAIL_BOOL) { /* positions that are kept, not repeated */
        counts = list(e, counts, call);
    } else {
        counts = list(e, elab_as_int(e, counts, counts->span, "arguments of ⍸"), call);
        Value *least =
            elab_reduce(e, elab_primitive(e, APL_FLOOR, call->span), 0, counts, call->span);
        counts = elab_not_negative(e, least, counts, "⍸ of a negative number", call->span);
    }
    return elab_from_one(e, elab_apply_prelude(e, "∆where", NULL, counts, call->span), call);
}

/* Characters among numbers, or numbers among characters: they are there only where there are none.
 */
static Value *find_nothing(Elaboration *e, const Call *call)
{
    Value *none = elab_bool(e, false, call->span), *pattern = call->left;
    int64_t count = elab_count(pattern);
    Value *nowhere = elab_reshape(e, elab_shape(e, call->right, call->span), none, call->span);
    if (count > 0 || pattern->rank == 0) {
        return nowhere;
    }
    Call other = *call;
    Value *fill = elab_fill(e, call->right->base, call->span);
    other.left = elab_reshape(e, elab_shape(e, pattern, call->span), fill, call->span);
    Value *found = elab_rule_find(e, &other);
    if (count == 0) {
        return found;
    }
    Call tally = {.primitive = APL_EQUAL,
                  .left = elab_int(e, 0, call->span),
                  .right = elab_reduce(e, elab_primitive(e, APL_TIMES, call->span), 0,
                                       elab_shape(e, pattern, call->span), call->span),
                  .span = call->span};
    Call both = {.primitive = APL_AND,
                 .left = elab_scalar_function(e, &tally),
                 .right = found,
                 .span = call->span};
    return elab_scalar_function(e, &both);
}

Value *elab_rule_find(Elaboration *e, const Call *call)
{
    Value *pattern = call->left, *value = call->right;
    if (pattern->rank > value->rank) {
        elab_fail(e, call->span, "RANK ERROR", "a pattern of rank %lld in an array of rank %lld",
                  (long long)pattern->rank, (long long)value->rank);
    }
    if (elab_numeric(pattern->base) != elab_numeric(value->base)) {
        return find_nothing(e, call);
    }
    if (value->rank == 0) {
        Call equal = {.primitive = APL_EQUAL, .left = pattern, .right = value, .span = call->span};
        return elab_scalar_function(e, &equal);
    }
    int64_t *ones = elab_extents(e, value->rank);
    for (int64_t i = 0; i < value->rank; i++) {
        ones[i] = 1;
    }
    if (pattern->rank < value->rank) { /* leading axes of length 1 */
        Value *missing = elab_known(e, TAIL_INT, value->rank - pattern->rank, ones, call->span);
        Value *shape = elab_catenate(e, 0, missing, elab_shape(e, pattern, call->span), call->span);
        pattern = elab_reshape(e, shape, pattern, call->span);
    }
    return elab_apply_prelude(e, value->rank == 1 ? "∆findInList" : "∆find", pattern, value,
                              call->span);
}

/* The rows of a matrix are ordered column by column, the last one first, since grading is stable. */
Value *elab_rule_grade(Elaboration *e, const Call *call)
{
    bool up = call->primitive == APL_GRADE_UP;
    Value *value = call->right;
    if (call->left !=
        NULL) { /* a collating sequence: what it has not comes after all that it has */
        if (call->left->base != TAIL_CHAR || value->base != TAIL_CHAR) {
            elab_fail(e, call->span, "DOMAIN ERROR",
                      "%s with a collating sequence to its left orders characters",
                      apl_primitive_glyph(call->primitive));
        }
        if (call->left->rank != 1) {
            elab_fail(e, call->span, "RANK ERROR", "a collating sequence of rank %lld",
                      (long long)call->left->rank);
        }
        value = elab_index_of(e, call->left, value, call->span);
    }
    if (value->rank == 0) {
        elab_fail(e, call->span, "RANK ERROR", "%s (%s) of a scalar",
                  apl_primitive_glyph(call->primitive), apl_primitive_name(call->primitive));
    }
    if (value->base == TAIL_COMPLEX) {
        elab_fail(e, call->span, "DOMAIN ERROR", "%s (%s) of complex numbers: they have no order",
                  apl_primitive_glyph(call->primitive), apl_primitive_name(call->primitive));
    }
    if (value->rank > 1) {
        Value *rows = elab_apply_prelude(e, "∆rows", NULL, value, call->span);
        Value *order =
            elab_apply_prelude(e, up ? "∆gradeRowsUp" : "∆gradeRowsDown", NULL, rows, call->span);
        return elab_from_one(e, order, call);
    }
    Value *found = elab_group_grade(e, up, value, call->span);
    if (found != NULL) {
        return elab_from_one(e, found, call);
    }
    Value *order = ELAB_VALUE(e, up ? TAIL_OP_GRADEUP : TAIL_OP_GRADEDOWN, call->span, value->exp);
    elab_set_extents(order, value->extents);
    return elab_from_one(e, order, call);
}

/* ⍺?⍵ */
Value *elab_rule_deal(Elaboration *e, const Call *call)
{
    elab_effect(e, call->span, "? (deal)");
    Value *count = elab_as_count(e, call->left, call->left->span, "arguments of ?");
    Value *range = elab_as_count(e, call->right, call->right->span, "arguments of ?");
    const struct {
        AplPrimitive comparison;
        Value *bound;
        const char *message;
    } bounds[] = {
        {APL_GREATER_EQUAL, elab_int(e, 0, call->span), "a negative number of numbers"},
        {APL_LESS_EQUAL, range, "there are not so many different numbers"},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        Call compare = {.primitive = bounds[i].comparison,
                        .left = count,
                        .right = bounds[i].bound,
                        .span = call->span};
        count = elab_require(e, elab_scalar_function(e, &compare), count, count, bounds[i].message,
                             call->span);
    }
    return elab_from_one(e, elab_apply_prelude(e, "∆deal", count, range, call->span), call);
}

/* ---- number systems -------------------------------------------------------------------------- */

static void numbers_only(Elaboration *e, const Call *call)
{
    if (!elab_numeric(call->left->base) || !elab_numeric(call->right->base)) {
        elab_fail(e, call->span, "DOMAIN ERROR", "characters in %s (%s)",
                  apl_primitive_glyph(call->primitive), apl_primitive_name(call->primitive));
    }
}

Value *elab_spread_along(Elaboration *e, Value *value, const Value *other, int64_t axis, Span span)
{
    Value *length = other->rank == 0 ? elab_int(e, 1, span) : elab_extent(e, other, axis, span);
    Value *shape = elab_vector(e, 1, &length, span);
    return elab_reshape(e, shape, elab_as_scalar(e, value, span), span);
}

/* Up to this many digits are taken one after the other. */
enum { FEW_DIGITS = 32 };

/* r⊥a b c  ==>  (((a×r)+b)×r)+c

   of a radix that only run time knows: powers of it would be stored for each number, and read backwards. */
static Value *horner(Elaboration *e, Value *radix, Value *digits, Span span)
{
    Value *sum = NULL;
    radix = elab_as_scalar(e, radix, span);
    for (int64_t k = 1; k <= digits->extents[0]; k++) {
        Value *place = elab_int(e, k, span), *digit = elab_index(e, digits, 1, &place, 1, span);
        if (sum != NULL) {
            Call times = {.primitive = APL_TIMES, .left = sum, .right = radix, .span = span};
            Call plus = {.primitive = APL_PLUS,
                         .left = elab_scalar_function(e, &times),
                         .right = digit,
                         .span = span};
            digit = elab_scalar_function(e, &plus);
        }
        sum = digit;
    }
    return sum;
}

Value *elab_rule_decode(Elaboration *e, const Call *call)
{
    numbers_only(e, call);
    Value *radix = call->left, *digits = call->right;
    if (elab_one_element(radix) && radix->rank <= 1 && radix->known == NULL && digits->rank == 1 &&
        digits->extents[0] > 1 && digits->extents[0] <= FEW_DIGITS) {
        return horner(e, radix, digits, call->span);
    }
    if (radix->rank == 1 && radix->extents[0] < 0) { /* which may be one */
        radix = elab_apply_prelude(e, "∆radices", radix, digits, call->span);
    } else if (elab_one_element(radix) && radix->rank <= 1) {
        radix = elab_spread_along(e, radix, digits, 0, call->span);
    } else if (radix->rank > 1 && digits->rank > 0 && radix->extents[radix->rank - 1] <= 1) {
        radix = elab_apply_prelude(e, "∆widened", digits, radix, call->span);
    }
    if (elab_one_element(digits) && digits->rank <= 1) {
        digits = elab_spread_along(e, digits, radix, radix->rank - 1, call->span);
    } else if (digits->rank > 1 && digits->extents[0] == 1 && radix->rank > 0) {
        digits = elab_apply_prelude(e, "∆heightened", radix, digits, call->span);
    }
    return elab_apply_prelude(e, "∆decode", radix, digits, call->span);
}

/* Known radices, in row-major order, that are whole and not negative: digits need not wait for each
   other. NULL: they may be others. */
static const int64_t *known_counts(Elaboration *e, const Value *radix)
{
    enum { MOST_DIGITS = 64 };
    int64_t count = elab_count(radix);
    if (radix->base > TAIL_INT || count < 0 || count > MOST_DIGITS) {
        return NULL;
    }
    const int64_t *numbers =
        radix->contents != NULL ? radix->contents : elab_whole_numbers(e, radix);
    if (numbers == NULL && radix->uniform) {
        int64_t *same = ARENA_ARRAY(e->c->arena, int64_t, count + 1);
        for (int64_t i = 0; i < count; i++) {
            same[i] = radix->uniform_value;
        }
        numbers = same;
    }
    for (int64_t i = 0; numbers != NULL && i < count; i++) {
        if (numbers[i] < 0) {
            return NULL;
        }
    }
    return numbers;
}

/* What each of the digits along the first axis weighs, the product of the radices below it, and
   whether that is more than an int holds. */
typedef struct Weights {
    int64_t *numbers, *beyond;
    bool is_any_beyond;
} Weights;

static Weights weights_of(Elaboration *e, const Value *radix, const int64_t *numbers)
{
    int64_t count = elab_count(radix), step = count > 0 ? count / radix->extents[0] : 0;
    int64_t most = e->c->options.int_bits == 32 ? INT32_MAX : INT64_MAX;
    Weights w = {ARENA_ARRAY(e->c->arena, int64_t, count + 1),
                 ARENA_ARRAY(e->c->arena, int64_t, count + 1), false};
    for (int64_t i = count - 1; i >= 0; i--) {
        int64_t below = i + step;
        w.numbers[i] = below >= count;
        w.beyond[i] = false;
        if (below < count &&
            numbers[below] != 0) { /* radix 0 takes all: what is above weighs nothing */
            w.beyond[i] = w.beyond[below] ||
                          __builtin_mul_overflow(w.numbers[below], numbers[below], &w.numbers[i]) ||
                          w.numbers[i] > most;
            w.numbers[i] = w.beyond[i] ? 0 : w.numbers[i];
            w.is_any_beyond = w.is_any_beyond || w.beyond[i];
        }
    }
    return w;
}

/* Digits in such radices. */
static Value *encode_known(Elaboration *e, Value *radix, const int64_t *numbers, Value *value,
                           Span span)
{
    Weights weights = weights_of(e, radix, numbers);
    bool reals = value->base == TAIL_DOUBLE;
    if (reals && weights.is_any_beyond) {
        radix = elab_cast(e, radix, TAIL_DOUBLE, span);
        return elab_apply_prelude(e, "∆encodeRealsAtOnce", radix, value, span);
    }
    int64_t count = elab_count(radix);
    const char *function = reals                   ? "∆encodeRealsBy"
                           : weights.is_any_beyond ? "∆encodeBy"
                                                   : "∆encodeNear";
    return elab_apply_prelude_operator(
        e, function, elab_known(e, TAIL_INT, count, weights.numbers, span),
        weights.is_any_beyond ? elab_known(e, TAIL_BOOL, count, weights.beyond, span) : NULL, radix,
        value, span);
}

Value *elab_rule_encode(Elaboration *e, const Call *call)
{
    numbers_only(e, call);
    if (call->left->rank == 0) {
        Call residue = {
            .primitive = APL_STILE, .left = call->left, .right = call->right, .span = call->span};
        return elab_scalar_function(e, &residue);
    }
    if (call->left->base == TAIL_COMPLEX || call->right->base == TAIL_COMPLEX) {
        if (call->left->rank > 1) {
            elab_nonce(e, call->span, "⊤ (encode) of complex numbers in a table of radices is");
        }
        return elab_apply_prelude(e, "∆encodeComplex", call->left, call->right, call->span);
    }
    bool reals = call->left->base == TAIL_DOUBLE || call->right->base == TAIL_DOUBLE;
    Value *radix = call->left, *value = call->right;
    if (reals) {
        value = elab_cast(e, value, TAIL_DOUBLE, call->span);
    }
    const int64_t *numbers = known_counts(e, radix);
    if (numbers == NULL) {
        radix = reals ? elab_cast(e, radix, TAIL_DOUBLE, call->span) : radix;
        return elab_apply_prelude(e, reals ? "∆encodeReals" : "∆encode", radix, value, call->span);
    }
    return encode_known(e, radix, numbers, value, call->span);
}

/* ---- linear equations ------------------------------------------------------------------- */

/* A vector is a matrix of one column. */
static Value *as_matrix(Elaboration *e, Value *value, const Call *call)
{
    if (!elab_numeric(value->base) || value->rank > 2) {
        elab_fail(e, call->span, value->rank > 2 ? "RANK ERROR" : "DOMAIN ERROR",
                  "⌹ takes matrices and vectors of numbers");
    }
    if (value->base != TAIL_COMPLEX) {
        value = elab_cast(e, value, TAIL_DOUBLE, call->span);
    }
    if (value->rank == 2) {
        return value;
    }
    Value *extents[2] = {value->rank == 0 ? elab_int(e, 1, call->span)
                                          : elab_extent(e, value, 0, call->span),
                         elab_int(e, 1, call->span)};
    return elab_reshape(e, elab_vector(e, 2, extents, call->span), value, call->span);
}

/* ⌹m and b⌹m. The result has an axis for each column of m and of b, where these are matrices. */
Value *elab_rule_domino(Elaboration *e, const Call *call)
{
    Value *matrix = as_matrix(e, call->right, call);
    Value *rows = elab_extent(e, matrix, 0, call->span),
          *columns = elab_extent(e, matrix, 1, call->span);
    Call most = {.primitive = APL_CEILING, .left = rows, .right = columns, .span = call->span};
    matrix = elab_same(e, rows, elab_scalar_function(e, &most), matrix, call->span);
    Value *targets;
    int64_t target_rank = call->right->rank == 0 ? 0 : 1;
    if (call->left != NULL) {
        targets = as_matrix(e, call->left, call);
        targets = elab_same(e, elab_extent(e, targets, 0, call->span), rows, targets, call->span);
        target_rank = call->left->rank;
    } else {
        targets = elab_apply_prelude(e, "∆identity", NULL, rows, call->span);
    }
    Value *triangle = elab_apply_prelude(e, "∆reflect", targets, matrix, call->span);
    Value *dependent = elab_apply_prelude(e, "∆dependent", columns, triangle, call->span);
    Call regular = {
        .primitive = APL_GREATER, .left = dependent, .right = columns, .span = call->span};
    Value *is_regular = elab_scalar_function(e, &regular);
    triangle = elab_require(e, is_regular, elab_from_one(e, dependent, call), triangle,
                            "a column that depends on others", call->span);
    Value *result = elab_apply_prelude(e, "∆solve", columns, triangle, call->span);
    Value *extents[2];
    size_t axes = 0;
    if (call->right->rank == 2) {
        extents[axes++] = columns;
    }
    if (target_rank == 2 || (call->left == NULL && target_rank == 1)) {
        extents[axes++] = elab_extent(e, targets, 1, call->span);
    }
    return axes == 2   ? result
           : axes == 1 ? elab_reshape(e, elab_vector(e, 1, extents, call->span), result, call->span)
                       : elab_first(e, result, call->span);
}

/* ---- expand -------------------------------------------------------------------------- */

static const TailExp *text_literal(Elaboration *e, const char *text, Span span)
{
    VEC(const TailExp *) items = {0};
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t codepoint;
        at += utf8_decode(text + at, length - at, &codepoint);
        vec_push(e->c->arena, &items, tail_char(e->c, codepoint, span));
    }
    return tail_vector(e->c, items.count, items.items, span);
}

Value *elab_require(Elaboration *e, Value *condition, const Value *number, Value *value,
                    const char *message, Span span)
{
    int64_t known;
    condition = elab_truth(e, condition, span);
    if (elab_constant(condition, &known)) {
        if (known == 0 && number != NULL && elab_constant(number, &known)) {
            elab_fail(e, span, "DOMAIN ERROR", "%s: %s", elab_digits(e, known), message);
        }
        if (known == 0) {
            elab_fail(e, span, "DOMAIN ERROR", "%s", message);
        }
        return value;
    }
    Value *result;
    const TailExp *text = text_literal(e, message, elab_place(e, span));
    if (number == NULL || (number->base != TAIL_INT && number->base != TAIL_DOUBLE)) {
        result = ELAB_VALUE(e, TAIL_OP_REQUIRE, span, text, condition->exp, value->exp);
    } else {
        TailBuiltin builtin = number->base == TAIL_INT ? TAIL_OP_REQUIREI : TAIL_OP_REQUIRED;
        result = ELAB_VALUE(e, builtin, span, text, number->exp, condition->exp, value->exp);
    }
    elab_set_extents(result, value->extents);
    return result;
}

/* One reduction over all items, which fuses with what computes them: the greatest that is not good
   is named. That is the same one on every backend, however the items are shared out. -inf and NaN
   stand there as the two least reals, and are told from them when they are named. */
Value *elab_require_each(Elaboration *e, Value *good, Value *values, Value *result,
                         const char *message, Span span)
{
    if (values->rank == 0) {
        return elab_require(e, good, values, result, message, span);
    }
    if (elab_known_empty(values)) {
        return result;
    }
    bool narrow = e->c->options.real_bits == 32, narrow_int = e->c->options.int_bits == 32;
    Value *codes[4] = {good}, *named;
    if (values->base == TAIL_DOUBLE) {
        codes[1] = elab_number(e, -(double)INFINITY, span);
        codes[2] =
            elab_number(e, narrow ? (double)nextafterf(-FLT_MAX, 0) : nextafter(-DBL_MAX, 0), span);
        codes[3] = elab_number(e, narrow ? -(double)FLT_MAX : -DBL_MAX, span);
    } else {
        codes[1] = elab_int(e, narrow_int ? INT32_MIN : INT64_MIN, span);
        codes[2] = elab_int(e, narrow_int ? INT32_MIN + 1 : INT64_MIN + 1, span);
        codes[3] = elab_int(e, 0, span);
    }
    int64_t count = 4;
    Value *settings = elab_record(e, 1, &count, 4, codes, span);
    const char *function = values->base == TAIL_DOUBLE ? "∆mostReal" : "∆most";
    Value *most = elab_apply_prelude(e, function, settings, values, span);
    named = values->base == TAIL_DOUBLE ? elab_apply_prelude(e, "∆decoded", settings, most, span)
                                        : most;
    Call compare = {.primitive = APL_EQUAL, .left = most, .right = codes[1], .span = span};
    return elab_require(e, elab_scalar_function(e, &compare), named, result, message, span);
}

Value *elab_not_negative(Elaboration *e, Value *number, Value *value, const char *message,
                         Span span)
{
    Call compare = {.primitive = APL_GREATER_EQUAL,
                    .left = number,
                    .right = elab_int(e, 0, span),
                    .span = span};
    return elab_require(e, elab_scalar_function(e, &compare), number, value, message, span);
}

Value *elab_same(Elaboration *e, const Value *m, const Value *n, Value *value, Span span)
{
    int64_t wanted, there;
    if (elab_constant(m, &wanted) && elab_constant(n, &there)) {
        if (wanted != there) {
            elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)wanted,
                      (long long)there);
        }
        return value;
    }
    const TailExp *m_exp = elab_cast(e, elab_at(e, m, span), TAIL_INT, span)->exp;
    const TailExp *n_exp = elab_cast(e, elab_at(e, n, span), TAIL_INT, span)->exp;
    Value *result = ELAB_VALUE(e, TAIL_OP_SAME, span, m_exp, n_exp, value->exp);
    elab_set_extents(result, value->extents);
    return result;
}

Value *elab_expand(Elaboration *e, Value *counts, Value *value, int64_t axis, Span span)
{
    bool truths = counts->kind == VALUE_ARRAY && counts->base == TAIL_BOOL;
    counts = elab_ravel(e, truths ? counts : elab_as_int(e, counts, counts->span, "counts"), span);
    if (value->rank == 0 || (value->rank == 1 && elab_one_element(value))) {
        Value *taken = elab_apply_prelude(e, "∆taken", NULL, counts, span);
        taken = elab_ravel(e, taken, span);
        value = elab_reshape(e, taken, elab_as_scalar(e, value, span), span);
        axis = 0;
    }
    Value *length = elab_extent(e, value, axis, span);
    Value *taken = elab_apply_prelude(e, "∆taken", NULL, counts, span);
    Value *there = elab_apply_prelude(e, "∆extended", taken, length, span);
    value = elab_same(e, taken, there, value, span);
    Value *positions =
        elab_apply_prelude(e, truths ? "∆expandTruths" : "∆expand", counts, length, span);
    Value *fill = elab_fill(e, value->base, span);
    Value *longer = elab_catenate(e, axis, value, fill, span);
    Value **indices = ARENA_ARRAY(e->c->arena, Value *, value->rank);
    indices[axis] = positions;
    return elab_index(e, longer, (size_t)value->rank, indices, 1, span);
}
