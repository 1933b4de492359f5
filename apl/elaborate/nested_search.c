/* Searching among nested items, and ⊂ along axes.

       t⍳⊂'ab'   ==>  1 + whether it is not the first + whether it is neither of the first two + ...
       ⊂[1]m     ==>  m[;1] m[;2] m[;3]             the columns, as many as the compiler sees */
#include "apl/elaborate/internal.h"

static Value *scalar2(Elaboration *e, AplPrimitive primitive, Value *left, Value *right, Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

/* The items, and how many there are; of a nested scalar the one. */
static int64_t items_of(Elaboration *e, Value *value, Value ***items, Span span)
{
    int64_t count = elab_known_count(e, value, span);
    elab_spend(e, span, count);
    *items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t k = 0; k < count; k++) {
        (*items)[k] = elab_item(e, value, k, span);
    }
    return count;
}

/* An item's first place among the keys, from 0; with `member` whether it is there. */
static Value *find(Elaboration *e, Value *const *keys, int64_t count, Value *item, bool member,
                   Span span)
{
    Value *absent = elab_bool(e, true, span), *place = elab_int(e, 0, span);
    for (int64_t k = 0; k < count; k++) {
        Agreement agreement = elab_agreement(e, keys[k], item, span);
        Value *same = agreement == UNKNOWN ? elab_tuple_match(e, keys[k], item, span)
                                           : elab_bool(e, agreement == EQUAL, span);
        Value *differs = scalar2(e, APL_TILDE, NULL, same, span);
        int64_t known;
        if (elab_constant(differs, &known) && known == 0) {
            absent = differs;
            break;
        }
        if (!elab_constant(differs, &known)) {
            absent = scalar2(e, APL_AND, absent, differs, span);
        }
        if (!member) {
            place = scalar2(e, APL_PLUS, place, absent, span);
        }
    }
    return member ? scalar2(e, APL_TILDE, NULL, absent, span) : place;
}

Value *elab_nested_find(Elaboration *e, const Call *call)
{
    bool member = call->primitive == APL_EPSILON;
    Value *list = member ? call->right : call->left, *wanted = member ? call->left : call->right;
    if (!member && list->rank != 1) {
        elab_fail(e, call->span, "RANK ERROR",
                  "the left argument of ⍳ is a vector, not an array of rank %lld",
                  (long long)list->rank);
    }
    Value **keys, **items;
    int64_t count = items_of(e, list, &keys, call->span);
    int64_t total = items_of(e, wanted, &items, call->span);
    elab_spend(e, call->span, count * total);
    if (total == 0) {
        Value *none = member ? elab_bool(e, false, call->span) : elab_int(e, 0, call->span);
        Value *shape = elab_known(e, TAIL_INT, wanted->rank, wanted->extents, call->span);
        return elab_reshape(e, shape, none, call->span);
    }
    for (int64_t k = 0; k < total; k++) {
        items[k] = find(e, keys, count, items[k], member, call->span);
        if (!member) {
            items[k] =
                scalar2(e, APL_PLUS, items[k], elab_int(e, call->origin, call->span), call->span);
        }
    }
    return elab_tuple(e, wanted->rank, wanted->extents, (size_t)total, items, call->span);
}

/* ---- ⊂ along axes ------------------------------------------------------------------------ */

/* The different axes in brackets, from 0, in any order. */
static int64_t enclosed_axes(Elaboration *e, const Call *call, int64_t *axes)
{
    int64_t rank = call->right->rank;
    const Value *given = call->axis;
    if (given->kind == VALUE_ARRAY && given->rank == 1 && given->extents[0] >= 0 &&
        given->extents[0] <= rank) {
        if (given->extents[0] > 0) {
            elab_axes(e, call, given->extents[0], rank, axes);
        }
        return given->extents[0];
    }
    axes[0] = elab_axis(e, call, rank, 0);
    return 1;
}

Value *elab_enclose_axes(Elaboration *e, const Call *call)
{
    enum { MOST = 1000 };
    Value *value = elab_array_only(e, call->right, call->span, "⊂ (enclose) with an axis");
    int64_t axes[RANK_LIMIT + 1], inner[RANK_LIMIT + 1], frame[RANK_LIMIT + 1];
    int64_t extents[RANK_LIMIT + 1], count = enclosed_axes(e, call, axes), outer = 0, total = 1;
    if (count == 0) {
        return value;
    }
    for (int64_t axis = 0, place = 0; axis < value->rank; axis++) {
        int64_t order = 0;
        while (order < count && axes[order] != axis) {
            order++;
        }
        if (order < count) {
            inner[place++] = order + 1;
            continue;
        }
        frame[outer] = axis;
        extents[outer++] = value->extents[axis];
        total *= value->extents[axis] > MOST ? MOST + 1 : value->extents[axis];
        if (value->extents[axis] < 0 || total > MOST) {
            elab_nonce(
                e, call->span,
                "⊂ (enclose) of more arrays than %d, or of a number that only run time knows, is",
                MOST);
        }
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, value->rank);
    for (int64_t k = 0; k < total; k++) {
        int64_t rest = k;
        for (int64_t i = outer; i-- > 0;) {
            positions[frame[i]] = elab_int(e, rest % extents[i] + 1, call->span);
            rest /= extents[i];
        }
        Value *cell = elab_index(e, value, (size_t)value->rank, positions, 1, call->span);
        items[k] = elab_transpose(e, inner, cell, call->span);
    }
    if (total == 0) {
        Value **lengths = ARENA_ARRAY(e->c->arena, Value *, count);
        for (int64_t i = 0; i < count; i++) {
            lengths[i] = elab_extent(e, value, axes[i], call->span);
        }
        Value *shape = elab_vector(e, (size_t)count, lengths, call->span);
        items[0] = elab_reshape(e, shape, elab_fill(e, value->base, call->span), call->span);
    }
    return elab_tuple(e, outer, extents, (size_t)total, items, call->span);
}
