/* Nested arrays without items. What such an array is made of, its prototype, stands where its first
   item would be: zeros and blanks in the shape of the item that was there.

       ⊃0⍴(1 2)(3 4)        ==>  0 0              first
       3↑0⍴'ab' 'c'         ==>  '  ' '  ' '  '   fill
       ↑0⍴(1 2)(3 4)        ==>  0 2⍴0            mix
       ⊃≢¨0⍴'ab' 'cd'       ==>  0                each: f of the prototype says what there would be
       +/0⍴(1 2)(3 4)       ==>  ⊂0 0             reduce: identity elements */
#include "apl/elaborate/internal.h"

Value *elab_prototype(Elaboration *e, Value *item, Span span)
{
    if (item->kind == VALUE_ARRAY) {
        Value *fill = elab_fill(e, item->base, span);
        return item->rank == 0 ? fill : elab_reshape(e, elab_shape(e, item, span), fill, span);
    }
    if (item->kind != VALUE_TUPLE) {
        return elab_array_only(e, item, span, "fill");
    }
    elab_deeper(e, span);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, item->count + 1);
    elab_spend(e, span, (int64_t)item->count);
    for (size_t i = 0; i < item->count; i++) {
        items[i] = elab_prototype(e, item->items[i], span);
    }
    if (item->count == 0) {
        items[0] = item->items[0];
    }
    e->depth--;
    return elab_tuple(e, item->rank, item->extents, item->count, items, span);
}

Value *elab_item_or_prototype(Elaboration *e, Value *value, Span span)
{
    if (value->kind == VALUE_TUPLE) {
        return value->count > 0 ? value->items[0] : elab_prototype(e, value->items[0], span);
    }
    return elab_fill(e, value->base, span);
}

Value *elab_empty_tuple(Elaboration *e, int64_t rank, const int64_t *extents, Value *item,
                        Span span)
{
    Value *prototype = item == NULL ? elab_fill(e, TAIL_BOOL, span) : elab_prototype(e, item, span);
    if (elab_is_scalar(prototype)) {
        return elab_reshape(e, elab_known(e, TAIL_INT, rank, extents, span), prototype, span);
    }
    return elab_record(e, rank, extents, 0, &prototype, span);
}

bool elab_extents_known(const Value *value)
{
    bool known = value->kind == VALUE_ARRAY || value->kind == VALUE_TUPLE;
    for (int64_t i = 0; known && i < value->rank; i++) {
        known = value->extents[i] >= 0;
    }
    size_t count = value->kind == VALUE_TUPLE ? value->count + (value->count == 0) : 0;
    for (size_t i = 0; known && i < count; i++) {
        known = elab_extents_known(value->items[i]);
    }
    return known;
}

Value *elab_result_of_none(Elaboration *e, ItemBody body, void *context, Value *left, Value *right,
                           Span span)
{
    bool begun = elab_begin_trial(e);
    elab_open(e);
    Value *result = body(e, context, left, right, span);
    elab_pop(e);
    if (begun) {
        elab_end_trial(e);
    }
    /* Its variables are gone with the trial; only its extents and types are asked for. */
    return elab_extents_known(result) ? result : NULL;
}

Value *elab_mix_none(Elaboration *e, const Value *value, Span span)
{
    Value *item = value->items[0];
    int64_t rank = value->rank + item->rank, *extents = elab_extents(e, rank);
    if (rank > RANK_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "↑ (mix) of items of rank %lld", (long long)item->rank);
    }
    memcpy(extents, value->extents, sizeof(int64_t) * (size_t)value->rank);
    if (item->rank > 0) {
        memcpy(extents + value->rank, item->extents, sizeof(int64_t) * (size_t)item->rank);
    }
    if (item->kind == VALUE_TUPLE) {
        return elab_empty_tuple(e, rank, extents, item->items[0], span);
    }
    Value *shape = elab_known(e, TAIL_INT, value->rank, value->extents, span);
    shape = elab_catenate(e, 0, shape, elab_shape(e, item, span), span);
    return elab_reshape(e, shape, elab_fill(e, item->base, span), span);
}

Value *elab_identity_like(Elaboration *e, Function *function, Value *item, Span span)
{
    if (item->kind == VALUE_TUPLE) {
        elab_deeper(e, span);
        Value **items = ARENA_ARRAY(e->c->arena, Value *, item->count + 1);
        for (size_t i = 0; i < item->count + (item->count == 0); i++) {
            items[i] = elab_identity_like(e, function, item->items[i], span);
        }
        e->depth--;
        return elab_tuple(e, item->rank, item->extents, item->count, items, span);
    }
    /* of each scalar as a reduction of none like it */
    Value *none = elab_reshape(e, elab_int(e, 0, span), elab_fill(e, item->base, span), span);
    Value *identity = elab_reduce(e, function, 0, none, span);
    return item->rank == 0 ? identity : elab_reshape(e, elab_shape(e, item, span), identity, span);
}
