/* Shape: ⍴ both ways, ravel, table, tally, ⍳, first, and the extents of arrays as values.

       ⍴m      ==>  [3,4] where both are known, else shape(m), an <int>2
       2 n⍴v   ==>  reshape([2,n],v)

   A reshape needs the length of its left argument, which is the rank of its result. */
#include "apl/elaborate/internal.h"
#include <math.h>

Value *elab_shape(Elaboration *e, const Value *value, Span span)
{
    bool all_known = true;
    for (int64_t i = 0; i < value->rank; i++) {
        all_known = all_known && value->extents[i] >= 0;
    }
    if (all_known) {
        return elab_known(e, TAIL_INT, value->rank, value->extents, span);
    }
    Value *shape = ELAB_VALUE(e, TAIL_OP_SHAPE, span, value->exp);
    elab_set_extents(shape, &value->rank);
    return shape;
}

Value *elab_extent(Elaboration *e, const Value *value, int64_t axis, Span span)
{
    if (value->extents[axis] >= 0) {
        return elab_int(e, value->extents[axis], span);
    }
    Value *shape = ELAB_VALUE(e, TAIL_OP_SHAPE, span, value->exp);
    Value *dimension = elab_int(e, 1, span), *position = elab_int(e, axis + 1, span);
    return ELAB_VALUE(e, TAIL_OP_IDXS, span, dimension->exp, position->exp, shape->exp);
}

Value *elab_first(Elaboration *e, Value *value, Span span)
{
    if (value->rank == 0) {
        return value;
    }
    if (elab_has_elements(value)) {
        return elab_element(e, value, 0);
    }
    Value *first = ELAB_VALUE(e, TAIL_OP_FIRST, span, value->exp);
    if (value->uniform && elab_count(value) > 0) {
        first = value->base == TAIL_BOOL ? elab_bool(e, value->uniform_value != 0, span)
                                         : elab_int(e, value->uniform_value, span);
    }
    return first;
}

Value *elab_ravel(Elaboration *e, Value *value, Span span)
{
    if (value->rank == 1) {
        return value;
    }
    if (value->rank == 0) {
        return elab_vector(e, 1, &value, span);
    }
    Value *result = ELAB_VALUE(e, TAIL_OP_RAV, span, value->exp);
    int64_t count = elab_count(value);
    elab_set_extents(result, &count);
    result->uniform = value->uniform;
    result->uniform_value = value->uniform_value;
    return result;
}

/* ---- ⍴ ------------------------------------------------------------------------------- */

static Value *reshape_known(Elaboration *e, const Value *shape, Value *value, Span span)
{
    int64_t count = shape->known[0];
    if (count == 0 || count > KNOWN_LIMIT || elab_count(value) <= 0) {
        return count == 0 ? elab_empty(e, value->base, span) : NULL;
    }
    if (!(value->rank == 0 || elab_has_elements(value)) ||
        !(value->known != NULL || count <= UNROLL_LIMIT)) {
        return NULL;
    }
    Value *items[KNOWN_LIMIT];
    for (int64_t i = 0; i < count; i++) {
        items[i] = value->rank == 0 ? value : elab_element(e, value, i % value->extents[0]);
    }
    return elab_vector(e, (size_t)count, items, span);
}

/* The numbers of a short array of known extents, repeated as often as it takes. */
static void note_contents(Elaboration *e, Value *result, const Value *value)
{
    int64_t count = elab_count(result), given = elab_count(value);
    const int64_t *numbers = value->known != NULL ? value->known : value->contents;
    if (numbers == NULL || count < 0 || count > KNOWN_LIMIT || given <= 0) {
        return;
    }
    int64_t *contents = ARENA_ARRAY(e->c->arena, int64_t, count + 1);
    for (int64_t i = 0; i < count; i++) {
        contents[i] = numbers[i % given];
    }
    result->contents = contents;
}

static void check_shape(Elaboration *e, const Value *shape)
{
    if (shape->known == NULL) {
        return;
    }
    for (int64_t i = 0; i < elab_count(shape); i++) {
        if (shape->known[i] < 0) {
            elab_fail(e, shape->span, "DOMAIN ERROR", "an axis cannot have length %s",
                      elab_digits(e, shape->known[i]));
        }
        elab_check_length(e, shape->known[i], shape->span);
    }
}

Value *elab_reshape(Elaboration *e, Value *shape, Value *value, Span span)
{
    Span place = shape->span;
    shape = elab_as_int(e, shape, place, "lengths of axes");
    if (shape->rank > 1) {
        elab_fail(e, span, "RANK ERROR",
                  "the left argument of ⍴ is a vector, not an array of rank %lld",
                  (long long)shape->rank);
    }
    shape = elab_at(e, elab_ravel(e, shape, span), place);
    if (shape->extents[0] < 0) {
        const char *text = elab_text(e, elab_place(e, place));
        elab_fail(e, place, "RANK ERROR",
                  "the rank of this reshape is not known: the length of %s is known"
                  " only at run time; say how many axes there are, as in (2↑%s)⍴x",
                  text, text);
    }
    check_shape(e, shape);
    int64_t rank = shape->extents[0];
    if (rank == 0) {
        return elab_first(e, value, span);
    }
    Value *known = rank == 1 && shape->known != NULL ? reshape_known(e, shape, value, span) : NULL;
    if (known != NULL) {
        return known;
    }
    Value *result =
        ELAB_VALUE(e, TAIL_OP_RESHAPE, span, elab_sized(e, shape, span)->exp, value->exp);
    if (shape->known != NULL) {
        elab_set_extents(result, shape->known);
    } else if (shape->elements != NULL) {
        for (int64_t i = 0; i < rank; i++) {
            int64_t extent;
            if (elab_constant(shape->elements[i], &extent)) {
                ((int64_t *)(uintptr_t)result->extents)[i] = extent;
            }
        }
    }
    result->uniform =
        value->uniform && (elab_count(value) > 0 || value->uniform_value == 0); /* fill is 0 */
    result->uniform_value = value->uniform_value;
    note_contents(e, result, value);
    return result;
}

Value *elab_rule_shape(Elaboration *e, const Call *call)
{
    if (call->left == NULL) {
        return elab_shape(e, call->right, call->span);
    }
    return elab_reshape(e, call->left, call->right, call->span);
}

/* ---- , and ⍪ ------------------------------------------------------------------------- */

/* Whether the axis is a number between two axes; that number. */
static bool between_axes(const Call *call, double *axis)
{
    const Value *given = call->axis;
    if (given == NULL || given->kind != VALUE_ARRAY || given->exp->kind != TAIL_EXP_DOUBLE) {
        return false;
    }
    *axis = given->exp->as.real;
    return *axis != floor(*axis);
}

/* The number of axes before a new one. */
static int64_t axes_before(Elaboration *e, const Call *call, double axis, int64_t rank)
{
    double position = axis - (double)call->origin;
    if (!(position > -1 && position < (double)rank)) {
        elab_fail(e, call->axis->span, "AXIS ERROR", "no new axis can stand there");
    }
    return (int64_t)(position + 1);
}

/* a,[0.5]b: a new axis before, between or after those that there are. */
static Value *new_axis(Elaboration *e, Value *value, int64_t before, Span span)
{
    Value *items[64];
    int64_t rank = 0;
    for (int64_t i = 0; i <= value->rank && rank < 60; i++) {
        if (i == before) {
            items[rank++] = elab_int(e, 1, span);
        }
        if (i < value->rank) {
            items[rank++] = elab_extent(e, value, i, span);
        }
    }
    return elab_reshape(e, elab_vector(e, (size_t)rank, items, span), value, span);
}

/* ,[k l]m: adjacent axes become one. ,[0.5]m and ,[⍬]m: a new axis of length 1, the latter after
 * all. */
static Value *ravel_axes(Elaboration *e, const Call *call)
{
    Value *axes = call->axis, *value = call->right;
    double place;
    if (between_axes(call, &place)) {
        return new_axis(e, value, axes_before(e, call, place, value->rank), call->span);
    }
    if (axes->known == NULL || axes->rank > 1) {
        elab_unknown_axis(e, axes);
    }
    int64_t count = elab_count(axes), first = count > 0 ? axes->known[0] - call->origin : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = axes->known[i] - call->origin;
        if (axis != first + i || axis < 0 || axis >= value->rank) {
            elab_fail(e, axes->span, "AXIS ERROR",
                      "an array of rank %lld has no such adjacent axes", (long long)value->rank);
        }
    }
    if (count == 0) {
        return new_axis(e, value, value->rank, call->span);
    }
    Value *items[64];
    int64_t rank = 0;
    for (int64_t i = 0; i < value->rank && rank < 60; i++) {
        Value *extent = elab_extent(e, value, i, call->span);
        if (i > first && i < first + count) {
            Call times = {.primitive = APL_TIMES,
                          .left = items[rank - 1],
                          .right = extent,
                          .span = call->span};
            items[rank - 1] = elab_scalar_function(e, &times);
        } else {
            items[rank++] = extent;
        }
    }
    return elab_reshape(e, elab_vector(e, (size_t)rank, items, call->span), value, call->span);
}

static Value *laminate(Elaboration *e, const Call *call, double axis)
{
    Value *left = call->left, *right = call->right;
    if (left->rank == 0 && right->rank > 0) {
        left = elab_reshape(e, elab_shape(e, right, call->span), left, call->span);
    } else if (right->rank == 0 && left->rank > 0) {
        right = elab_reshape(e, elab_shape(e, left, call->span), right, call->span);
    }
    if (left->rank != right->rank) {
        elab_fail(e, call->span, "RANK ERROR", "%lld and %lld", (long long)left->rank,
                  (long long)right->rank);
    }
    int64_t before = axes_before(e, call, axis, left->rank);
    left = new_axis(e, left, before, call->span);
    right = new_axis(e, right, before, call->span);
    return elab_catenate(e, before, left, right, call->span);
}

Value *elab_rule_ravel(Elaboration *e, const Call *call)
{
    if (call->left == NULL) {
        if (call->axis != NULL && call->primitive == APL_COMMA) {
            return ravel_axes(e, call);
        }
        return elab_ravel(e, call->right, call->span);
    }
    double axis;
    if (between_axes(call, &axis)) {
        return laminate(e, call, axis);
    }
    int64_t rank = call->left->rank > call->right->rank ? call->left->rank : call->right->rank;
    int64_t fallback = call->primitive == APL_COMMA && rank > 0 ? rank - 1 : 0;
    return elab_catenate(e, elab_axis(e, call, rank, fallback), call->left, call->right,
                         call->span);
}

Value *elab_rule_table(Elaboration *e, const Call *call)
{
    if (call->left != NULL) {
        return elab_rule_ravel(e, call);
    }
    if (call->axis != NULL) {
        elab_nonce(e, call->span, "⍪ (table) with an axis is");
    }
    Value *value = call->right;
    if (value->rank == 2) {
        return value;
    }
    Value *items[2] = {elab_int(e, 1, call->span), elab_int(e, 1, call->span)};
    for (int64_t i = 0; i < value->rank; i++) {
        Value *extent = elab_extent(e, value, i, call->span);
        Value **target = &items[i == 0 ? 0 : 1];
        Call times = {.primitive = APL_TIMES, .left = *target, .right = extent, .span = call->span};
        *target = elab_scalar_function(e, &times);
    }
    return elab_reshape(e, elab_vector(e, 2, items, call->span), value, call->span);
}

/* ---- ≢ ≡ ⍳ ⊃ ⌷ ⊂ --------------------------------------------------------------------- */

Value *elab_rule_tally(Elaboration *e, const Call *call)
{
    if (call->left != NULL) {
        Value *match = elab_rule_match(e, call);
        Call not = {.primitive = APL_TILDE, .right = match, .span = call->span};
        return elab_scalar_function(e, &not );
    }
    if (call->right->rank == 0) {
        return elab_int(e, 1, call->span);
    }
    return elab_extent(e, call->right, 0, call->span);
}

/* Ranks and kinds are known; what may differ at run time are extents and items. */
Value *elab_rule_match(Elaboration *e, const Call *call)
{
    Value *left = call->left, *right = call->right;
    if (left == NULL) {
        return elab_int(e, right->rank > 0, call->span);
    }
    bool same = left->rank == right->rank && elab_numeric(left->base) == elab_numeric(right->base);
    for (int64_t i = 0; same && i < left->rank; i++) {
        same =
            left->extents[i] < 0 || right->extents[i] < 0 || left->extents[i] == right->extents[i];
    }
    if (!same) {
        return elab_bool(e, false, call->span);
    }
    return elab_apply_prelude(e, "∆match", left, right, call->span);
}

static Value *iota_known(Elaboration *e, int64_t count, const Call *call)
{
    if (count < 0) {
        elab_fail(e, call->right->span, "DOMAIN ERROR", "⍳%s", elab_digits(e, count));
    }
    if (count == 0) {
        return elab_empty(e, TAIL_INT, call->span);
    }
    int64_t numbers[KNOWN_LIMIT];
    if (count <= KNOWN_LIMIT) {
        for (int64_t i = 0; i < count; i++) {
            numbers[i] = i + call->origin;
        }
        return elab_known(e, TAIL_INT, count, numbers, call->span);
    }
    return NULL;
}

Value *elab_rule_iota(Elaboration *e, const Call *call)
{
    if (call->left != NULL) {
        if (call->left->rank != 1) {
            elab_fail(e, call->span, "RANK ERROR",
                      "the left argument of ⍳ is a vector, not an array of rank %lld",
                      (long long)call->left->rank);
        }
        Value *result = elab_index_of(e, call->left, call->right, call->span);
        return elab_from_one(e, result, call);
    }
    Value *count = call->right;
    if (!elab_numeric(count->base)) {
        elab_fail(e, call->span, "DOMAIN ERROR", "⍳ of characters");
    }
    if (count->rank == 1 && count->extents[0] != 1) {
        if (count->extents[0] >= 0) {
            return elab_iota_positions(e, call);
        }
        const char *text = elab_text(e, elab_place(e, count->span));
        elab_fail(e, call->span, "RANK ERROR",
                  "the rank of ⍳ is not known: the length of %s is known only at run time;"
                  " take one item, as in ⍳⊃%s",
                  text, text);
    }
    count = elab_as_count(e, count, count->span, "arguments of ⍳");
    int64_t number;
    if (elab_constant(count, &number)) {
        elab_check_length(e, number, call->right->span);
        Value *known = iota_known(e, number, call);
        if (known != NULL) {
            return known;
        }
    }
    Value *result = ELAB_VALUE(e, TAIL_OP_IOTA, call->span, count->exp);
    if (elab_constant(count, &number)) {
        elab_set_extents(result, &number);
    }
    elab_note_progression(e, result);
    if (call->origin == 0) {
        Call minus = {.primitive = APL_MINUS,
                      .left = result,
                      .right = elab_int(e, 1, call->span),
                      .span = call->span};
        result = elab_scalar_function(e, &minus);
    }
    return result;
}

Value *elab_rule_first(Elaboration *e, const Call *call)
{
    if (call->left == NULL) {
        return elab_first(e, call->right, call->span);
    }
    /* pick: a path of one step, since items of an array of scalars have no items; a step is a
       number where the array is a vector, else an enclosed vector: (⊂2 3)⊃m */
    Value *path = call->left;
    int64_t steps = path->kind == VALUE_TUPLE ? (int64_t)path->count : elab_count(path);
    if (path->rank > 1 || (steps >= 0 && steps > 1)) {
        elab_fail(e, call->span, "RANK ERROR", "a path of %lld steps into an array of scalars",
                  (long long)steps);
    }
    Call squish = *call;
    if (steps == 0) {
        return call->right;
    }
    if (path->kind == VALUE_TUPLE) {
        squish.left = path->items[0];
    }
    return elab_rule_squish(e, &squish);
}

/* A position for each of the first axes, or of those that are named. */
static Value *index_axes(Elaboration *e, const Call *call, int64_t count, Value *const *positions)
{
    Value *value = call->right;
    int64_t axes[RANK_LIMIT] = {0};
    bool whole = call->primitive == APL_DISCLOSE;
    if (count > value->rank || (whole && count != value->rank)) {
        elab_fail(e, call->span, value->rank == 0 || whole ? "RANK ERROR" : "LENGTH ERROR",
                  "%lld position%s for an array of rank %lld", (long long)count,
                  count == 1 ? "" : "s", (long long)value->rank);
    }
    Value *places[RANK_LIMIT] = {0};
    if (call->axis != NULL) {
        elab_axes(e, call, count, value->rank, axes);
    }
    for (int64_t i = 0; i < count; i++) {
        places[call->axis != NULL ? axes[i] : i] = positions[i];
    }
    return elab_index(e, value, (size_t)value->rank, places, call->origin, call->span);
}

/* ⌷m stores m; i j⌷m is m[i;j;...], and (⊂1 2)⌷[2]m is m[;1 2;...]. */
Value *elab_rule_squish(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    if (call->left == NULL) {
        if (value->rank == 0 || value->known != NULL) {
            return value;
        }
        Value *stored = ELAB_VALUE(e, TAIL_OP_MEM, call->span, value->exp);
        elab_set_extents(stored, value->extents);
        stored->uniform = value->uniform;
        stored->uniform_value = value->uniform_value;
        return stored;
    }
    if (call->left->kind == VALUE_TUPLE) { /* positions of any rank */
        const Value *left = call->left;
        if (left->rank > 1) {
            elab_fail(e, call->span, "RANK ERROR", "positions of rank %lld", (long long)left->rank);
        }
        return index_axes(e, call, (int64_t)left->count, left->items);
    }
    if (call->left->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "positions of rank %lld",
                  (long long)call->left->rank);
    }
    Value *left =
        elab_ravel(e, elab_as_int(e, call->left, call->left->span, "positions"), call->span);
    int64_t count = left->extents[0];
    if (count < 0) { /* one for each axis, or for each that is named, then */
        count = call->axis == NULL ? value->rank : elab_count(call->axis);
        left = elab_same(e, elab_extent(e, left, 0, call->span), elab_int(e, count, call->span),
                         left, call->span);
        left = elab_take(e, 0, elab_int(e, count, call->span), left, call->span);
    }
    Value *positions[RANK_LIMIT + 1];
    for (int64_t i = 0; i < count && i < RANK_LIMIT; i++) {
        positions[i] = elab_item(e, elab_sized(e, left, call->span), i, call->span);
    }
    return index_axes(e, call, count, positions);
}

Value *elab_rule_enclose(Elaboration *e, const Call *call)
{
    if (call->left != NULL) {
        return elab_partition(e, call);
    }
    if (call->axis != NULL) {
        return elab_enclose_axes(e, call);
    }
    return elab_enclose(e, call->right, call->span);
}
