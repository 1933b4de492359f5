/* Bracket indexing, axis by axis from the last to the first, so that the numbers of the axes before
   stay what they are:

       m[i;j]     ==>  idxS(1,i, idxS(2,j,m))
       m[;v]      ==>  idxA(2,v,m)        an index array of any rank takes the place of the axis
       m[;2+⍳n]   ==>  idxP(2,3,n,1,m)    positions that go up by equal steps (progressions.c) */
#include "apl/elaborate/internal.h"

/* The most rows that ↓ makes into a tuple. */
enum { ROW_LIMIT = 1000 };

static void check_known(Elaboration *e, const Value *position, int64_t extent, int64_t origin)
{
    if (position->known == NULL || extent < 0) {
        return;
    }
    int64_t count = position->rank == 0 ? 1 : position->extents[0];
    for (int64_t k = 0; k < count; k++) {
        if (position->known[k] < origin || position->known[k] >= extent + origin) {
            elab_fail(e, position->span, "INDEX ERROR", "%s of %lld",
                      elab_digits(e, position->known[k]), (long long)extent);
        }
    }
}

static Value *from_one(Elaboration *e, Value *position, int64_t origin, Span span)
{
    if (origin == 1) {
        return position;
    }
    Call plus = {
        .primitive = APL_PLUS, .left = position, .right = elab_int(e, 1, span), .span = span};
    return elab_scalar_function(e, &plus);
}

/* Known positions of a strand choose its items. */
static Value *index_elements(Elaboration *e, const Value *value, const Value *position, Span span)
{
    if (!elab_has_elements(value) || position->known == NULL) {
        return NULL;
    }
    if (position->rank == 0) {
        return elab_element(e, value, position->known[0] - 1);
    }
    int64_t count = position->extents[0];
    if (count == 0 || count > KNOWN_LIMIT) {
        return NULL;
    }
    Value *items[KNOWN_LIMIT];
    for (int64_t k = 0; k < count; k++) {
        items[k] = elab_element(e, value, position->known[k] - 1);
    }
    return elab_vector(e, (size_t)count, items, span);
}

static Value *index_axis(Elaboration *e, Value *value, int64_t axis, Value *position, Span span)
{
    Value *chosen = value->rank == 1 ? index_elements(e, value, position, span) : NULL;
    if (chosen != NULL) {
        return chosen;
    }
    const TailExp *dimension = elab_int(e, axis + 1, span)->exp;
    BlockAxis block;
    if (elab_is_progression(e, value, axis, position, &block, span)) {
        const TailExp *step = elab_int(e, block.step, span)->exp;
        Value *part = ELAB_VALUE(e, TAIL_OP_IDXP, span, dimension, block.first->exp,
                                 block.count->exp, step, value->exp);
        int64_t *sizes = elab_extents(e, value->rank);
        memcpy(sizes, value->extents, sizeof *sizes * (size_t)value->rank);
        sizes[axis] = position->extents[0];
        elab_set_extents(part, sizes);
        return part;
    }
    bool scalar = position->rank == 0;
    TailBuiltin builtin = scalar ? TAIL_OP_IDXS : TAIL_OP_IDXA;
    Value *result = ELAB_VALUE(e, builtin, span, dimension, position->exp, value->exp);
    int64_t *extents = elab_extents(e, result->rank);
    for (int64_t i = 0; i < result->rank; i++) {
        extents[i] = i < axis                    ? value->extents[i]
                     : i < axis + position->rank ? position->extents[i - axis]
                                                 : value->extents[i - position->rank + 1];
    }
    elab_set_extents(result, extents);
    return result;
}

size_t elab_tuple_place(Elaboration *e, const Value *value, size_t count, Value *const *positions,
                        int64_t origin, Span span)
{
    int64_t place = 0, number;
    for (size_t i = 0; i < count; i++) {
        if (positions[i] == NULL) {
            elab_nonce(e, span, "an elided index of nested items is");
        }
        if (!elab_constant(positions[i], &number)) {
            elab_unknown_item(e, positions[i]);
        }
        check_known(e, positions[i], value->extents[i], origin);
        place = place * value->extents[i] + number - origin;
    }
    return (size_t)place;
}

static Value *index_tuple(Elaboration *e, Value *value, size_t count, Value *const *positions,
                          int64_t origin, Span span)
{
    if ((int64_t)count != value->rank) {
        elab_fail(e, span, "RANK ERROR", "%zu indices for an array of rank %lld", count,
                  (long long)value->rank);
    }
    bool scalars = true;
    for (size_t axis = 0; axis < count; axis++) {
        const Value *given = positions[axis];
        scalars = scalars && given != NULL && (given->kind != VALUE_ARRAY || given->rank == 0);
        if (given != NULL && given->kind == VALUE_ARRAY && given->known != NULL) {
            check_known(e, given, value->extents[axis], origin);
        }
    }
    if (!scalars) {
        return elab_nested_index(e, value, positions, origin, span);
    }
    return value->items[elab_tuple_place(e, value, count, positions, origin, span)];
}

Value *elab_positions(Elaboration *e, Value *positions, int64_t extent, int64_t origin, Span span)
{
    Span place = positions->span;
    positions = elab_at(e, elab_as_int(e, positions, place, "indices"), place);
    check_known(e, positions, extent, origin);
    return from_one(e, positions, origin, span);
}

Value *elab_index(Elaboration *e, Value *value, size_t count, Value *const *positions,
                  int64_t origin, Span span)
{
    if (value->kind == VALUE_TUPLE) {
        return index_tuple(e, value, count, positions, origin, span);
    }
    elab_array_only(e, value, span, "an index");
    if (count == 1 && positions[0] != NULL && positions[0]->kind == VALUE_TUPLE) {
        return elab_index_positions(e, value, positions[0], origin, span);
    }
    if ((int64_t)count != value->rank) {
        elab_fail(e, span, "RANK ERROR", "%zu ind%s for an array of rank %lld", count,
                  count == 1 ? "ex" : "ices", (long long)value->rank);
    }
    for (size_t axis = count; axis-- > 0;) {
        if (positions[axis] == NULL) {
            continue;
        }
        Value *position = elab_positions(e, positions[axis], value->extents[axis], origin, span);
        value = index_axis(e, value, (int64_t)axis, position, span);
    }
    return value;
}

/* ↓a: the tuple of the vectors along the last axis; how many there are must be known. */
Value *elab_split(Elaboration *e, Value *value, Span span)
{
    if (value->rank <= 1) {
        return value->rank == 0 ? value : elab_enclose(e, value, span);
    }
    int64_t outer = value->rank - 1, count = 1;
    for (int64_t axis = 0; axis < outer; axis++) {
        int64_t extent = value->extents[axis];
        if (extent < 0 || extent > ROW_LIMIT || (count *= extent) > ROW_LIMIT) {
            elab_fail(e, span, "NONCE ERROR", "↓ (split) needs a known number of rows, at most %d",
                      ROW_LIMIT);
        }
    }
    Value **rows = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = count, place = k;
        rows[k] = value;
        for (int64_t axis = 0; axis < outer; axis++) {
            rest /= value->extents[axis];
            rows[k] = index_axis(e, rows[k], 0, elab_int(e, place / rest + 1, span), span);
            place %= rest;
        }
    }
    return elab_tuple(e, outer, value->extents, (size_t)count, rows, span);
}
