/* Tuples: nesting whose outer shape is known at compile time. Functions on them are unrolled,
   nothing of them is left in TAIL but their items (and loop states, forms.c).

       (1 2)(3 4 5)      a vector of two items        ≢¨(1 2)(3 4 5)  ==>  2 3
       ⊂m                an enclosed matrix, rank 0   ¯1 0 1⌽¨⊂m      three matrices */
#include "apl/elaborate/internal.h"

Value *elab_enclose(Elaboration *e, Value *value, Span span)
{
    if (elab_is_scalar(value)) {
        return value;
    }
    Value *tuple = ARENA_NEW(e->c->arena, Value);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, 1);
    items[0] = value;
    *tuple = (Value){.kind = VALUE_TUPLE, .span = span, .count = 1, .items = items};
    return tuple;
}

/* Scalars of one kind are a simple array. */
static bool all_simple(Value *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!elab_is_scalar(items[i]) ||
            elab_numeric(items[i]->base) != elab_numeric(items[0]->base)) {
            return false;
        }
    }
    return count > 0;
}

Value *elab_tuple(Elaboration *e, int64_t rank, const int64_t *extents, size_t count,
                  Value *const *items, Span span)
{
    if (rank == 0) {
        return elab_enclose(e, items[0], span);
    }
    if (count == 0) {
        return elab_empty_tuple(e, rank, extents, items[0], span);
    }
    if (all_simple(items, count)) {
        Value *vector = elab_vector(e, count, items, span);
        return rank == 1
                   ? vector
                   : elab_reshape(e, elab_known(e, TAIL_INT, rank, extents, span), vector, span);
    }
    return elab_record(e, rank, extents, count, items, span);
}

Value *elab_record(Elaboration *e, int64_t rank, const int64_t *extents, size_t count,
                   Value *const *items, Span span)
{
    elab_spend(e, span, (int64_t)count);
    Value *tuple = ARENA_NEW(e->c->arena, Value);
    *tuple =
        (Value){.kind = VALUE_TUPLE,
                .span = span,
                .rank = rank,
                .extents = arena_copy(e->c->arena, extents, sizeof(int64_t) * (size_t)rank),
                .count = count,
                .items = arena_copy(e->c->arena, items, sizeof(Value *) * (count + (count == 0)))};
    return tuple;
}

Value *elab_strand(Elaboration *e, size_t count, Value *const *items, Span span)
{
    int64_t length = (int64_t)count;
    return elab_tuple(e, 1, &length, count, items, span);
}

Value *elab_item(Elaboration *e, Value *value, int64_t k, Span span)
{
    if (value->kind == VALUE_TUPLE) {
        return value->items[k];
    }
    if (value->rank == 0) {
        return value;
    }
    if (elab_has_elements(value)) {
        return elab_element(e, value, k);
    }
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, value->rank);
    for (int64_t axis = value->rank; axis-- > 0;) {
        int64_t extent = value->extents[axis];
        if (extent < 0 && value->rank > 1) {
            elab_nonce(
                e, span,
                "nested items in the shape of an array whose extents only run time knows are");
        }
        positions[axis] = elab_int(e, (extent > 0 ? k % extent : k) + 1, span);
        k = extent > 0 ? k / extent : 0;
    }
    return elab_index(e, value, (size_t)value->rank, positions, 1, span);
}

/* An array that goes item by item with one of this known shape: a check where only run time knows its
   own, and one item of a list goes with every item. */
static Value *in_shape(Elaboration *e, Value *value, const Value *shape, bool is_left, Span span)
{
    const Value *left = is_left ? value : shape, *right = is_left ? shape : value;
    if (value->rank != shape->rank) {
        elab_fail(e, span, "RANK ERROR", "%lld and %lld", (long long)left->rank,
                  (long long)right->rank);
    }
    for (int64_t i = 0; i < shape->rank; i++) {
        Value *m = elab_int(e, shape->extents[i], span), *n = m;
        *(is_left ? &m : &n) = value->kind == VALUE_TUPLE ? elab_int(e, value->extents[i], span)
                                                          : elab_extent(e, value, i, span);
        if (value->kind == VALUE_ARRAY && value->rank == 1 && value->extents[0] < 0) {
            Value **there = is_left ? &m : &n;
            *there = elab_apply_prelude(e, "∆extended", is_left ? n : m, *there, span);
            value = elab_same(e, m, n, value, span);
            return elab_reshape(e, is_left ? n : m, value, span);
        }
        value = elab_same(e, m, n, value, span);
    }
    if (value->kind == VALUE_ARRAY && elab_count(value) < 0) {
        value = elab_at(e, value, value->span);
        elab_set_extents(value, shape->extents);
    }
    return value;
}

/* The argument whose shape the result has: one item goes with every item of the other. */
static const Value *shape_of_result(Elaboration *e, Value **left, Value **right, Span span)
{
    if (*left == NULL) {
        return *right;
    }
    bool one = elab_count(*left) == 1, other = elab_count(*right) == 1;
    if (one || other) {
        bool of_left = one && other ? (*left)->rank > (*right)->rank : other;
        return of_left ? *left : *right;
    }
    bool of_left = (*right)->kind == VALUE_ARRAY && elab_count(*right) < 0;
    if (of_left) {
        *right = in_shape(e, *right, *left, false, span);
        return *left;
    }
    *left = in_shape(e, *left, *right, true, span);
    return *right;
}

/* The item for place k, of a single one that. */
static Value *item_for(Elaboration *e, Value *value, int64_t k, Span span)
{
    return elab_item(e, value, elab_count(value) == 1 ? 0 : k, span);
}

Value *elab_itemwise(Elaboration *e, ItemBody body, void *context, Value *left, Value *right,
                     Span span)
{
    const Value *shape = shape_of_result(e, &left, &right, span);
    int64_t count = elab_known_count(e, shape, span);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t k = 0; k < count; k++) {
        Value *l = left == NULL ? NULL : item_for(e, left, k, span);
        items[k] = body(e, context, l, item_for(e, right, k, span), span);
    }
    if (count == 0) {
        Value *l = left == NULL            ? NULL
                   : elab_count(left) == 1 ? elab_item(e, left, 0, span)
                                           : elab_item_or_prototype(e, left, span);
        Value *r = elab_count(right) == 1 ? elab_item(e, right, 0, span)
                                          : elab_item_or_prototype(e, right, span);
        items[0] = elab_result_of_none(e, body, context, l, r, span);
    }
    return elab_tuple(e, shape->rank, shape->extents, (size_t)count, items, span);
}

Value *elab_tuple_reduce(Elaboration *e, Function *function, Value *value, int64_t axis, Span span)
{
    int64_t inner = 1, outer = 1, length = value->extents[axis];
    int64_t *extents = elab_extents(e, value->rank);
    for (int64_t i = 0, j = 0; i < value->rank; i++) {
        inner *= i > axis ? value->extents[i] : 1;
        outer *= i < axis ? value->extents[i] : 1;
        if (i != axis) {
            extents[j++] = value->extents[i];
        }
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, outer * inner + 1);
    items[0] = elab_item_or_prototype(e, value, span);
    Value *none =
        length > 0 || outer * inner == 0 ? NULL : elab_identity_like(e, function, items[0], span);
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = 0; i < inner; i++) {
            if (none != NULL) {
                items[o * inner + i] = none;
                continue;
            }
            Value *result = value->items[(o * length + length - 1) * inner + i];
            for (int64_t k = length - 1; k-- > 0;) {
                result = elab_apply(e, function, value->items[(o * length + k) * inner + i], result,
                                    span);
            }
            items[o * inner + i] = result;
        }
    }
    return elab_tuple(e, value->rank - 1, extents, (size_t)(outer * inner), items, span);
}

Value *elab_tuple_scan(Elaboration *e, Function *function, Value *value, Span span)
{
    if (value->rank != 1) {
        elab_nonce(e, span, "a scan of nested items in %lld axes is", (long long)value->rank);
    }
    if (value->count == 0) {
        return value;
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, value->count);
    for (size_t i = 0; i < value->count; i++) {
        items[i] = value->items[i];
        elab_spend(e, span, (int64_t)i);
        for (size_t k = i; k-- > 0;) {
            items[i] = elab_apply(e, function, value->items[k], items[i], span);
        }
    }
    return elab_tuple(e, 1, value->extents, value->count, items, span);
}

int64_t elab_known_count(Elaboration *e, const Value *value, Span span)
{
    int64_t count = 1;
    for (int64_t i = 0; i < value->rank; i++) {
        count = value->extents[i] < 0 ? -1 : count * value->extents[i];
        if (count < 0 || count > SIZE_LIMIT) {
            elab_nonce(
                e, span,
                "nested items in the shape of an array whose extents only run time knows are");
        }
    }
    return count;
}

Value *elab_tuple_outer(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    int64_t left_count = elab_known_count(e, left, span),
            right_count = elab_known_count(e, right, span);
    elab_spend(e, span, left_count * right_count);
    int64_t *extents = elab_extents(e, left->rank + right->rank);
    for (int64_t i = 0; i < left->rank + right->rank; i++) {
        extents[i] = i < left->rank ? left->extents[i] : right->extents[i - left->rank];
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, left_count * right_count + 1);
    for (int64_t i = 0; i < left_count; i++) {
        for (int64_t j = 0; j < right_count; j++) {
            Value *item = elab_item(e, left, i, span);
            items[i * right_count + j] =
                elab_apply(e, function, item, elab_item(e, right, j, span), span);
        }
    }
    if (left_count * right_count == 0) {
        Value *item = elab_item_or_prototype(e, left, span);
        items[0] = elab_result_of_none(e, elab_apply_item, function, item,
                                       elab_item_or_prototype(e, right, span), span);
    }
    return elab_tuple(e, left->rank + right->rank, extents, (size_t)(left_count * right_count),
                      items, span);
}

/* ---- ↑ (mix) ------------------------------------------------------------------------- */

/* The longest extent along an axis; NULL where all are known and the same. */
static Value *longest_extent(Elaboration *e, const Value *tuple, int64_t axis, Span span)
{
    bool equal = true;
    Value *longest = NULL;
    for (size_t i = 0; i < tuple->count && equal; i++) {
        int64_t extent = tuple->items[i]->extents[axis];
        equal = extent >= 0 && extent == tuple->items[0]->extents[axis];
    }
    for (size_t i = 0; i < tuple->count && !equal; i++) {
        Value *extent = elab_extent(e, tuple->items[i], axis, span);
        Call maximum = {.primitive = APL_CEILING, .left = longest, .right = extent, .span = span};
        longest = longest == NULL ? extent : elab_scalar_function(e, &maximum);
    }
    return longest;
}

/* An item in so many axes: those that it lacks come first, with one position. */
static Value *with_axes(Elaboration *e, Value *item, int64_t rank, Span span)
{
    Value *extents[RANK_LIMIT + 1];
    if (item->rank == rank) {
        return item;
    }
    if (rank > RANK_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "an array of rank %lld", (long long)rank);
    }
    for (int64_t i = 0; i < rank; i++) {
        int64_t lacks = rank - item->rank;
        extents[i] = i < lacks ? elab_int(e, 1, span) : elab_extent(e, item, i - lacks, span);
    }
    return elab_reshape(e, elab_vector(e, (size_t)rank, extents, span), item, span);
}

Value *elab_mix(Elaboration *e, Value *value, Span span)
{
    if (value->kind != VALUE_TUPLE) {
        return value;
    }
    if (value->rank == 0) {
        return value->items[0];
    }
    if (value->count == 0) {
        return elab_mix_none(e, value, span);
    }
    int64_t rank = 0;
    TailBaseKind base = TAIL_BOOL;
    for (size_t i = 0; i < value->count; i++) {
        if (value->items[i]->kind == VALUE_TUPLE) {
            return elab_nested_mix(e, value, span);
        }
        Value *item = elab_array_only(e, value->items[i], span, "↑ (mix)");
        rank = item->rank > rank ? item->rank : rank;
        base = i == 0 ? item->base : elab_join_bases(e, base, item->base, span, "↑ (mix)");
    }
    Value *rows = NULL;
    Value same = *value;
    Value **items = ARENA_ARRAY(e->c->arena, Value *, value->count);
    for (size_t i = 0; i < value->count; i++) {
        items[i] = with_axes(e, elab_cast(e, value->items[i], base, span), rank, span);
    }
    same.items = items;
    Value **longest = ARENA_ARRAY(e->c->arena, Value *, (size_t)rank + 1);
    for (int64_t axis = 0; axis < rank; axis++) {
        longest[axis] = longest_extent(e, &same, axis, span);
    }
    for (size_t i = 0; i < value->count; i++) {
        Value *item = items[i];
        for (int64_t axis = 0; axis < rank; axis++) {
            item = longest[axis] == NULL ? item : elab_take(e, axis, longest[axis], item, span);
        }
        if (rows == NULL) { /* one slice along a new last axis */
            Value *shape =
                elab_catenate(e, 0, elab_shape(e, item, span), elab_int(e, 1, span), span);
            rows = elab_reshape(e, shape, item, span);
        } else {
            rows = elab_catenate(e, rank, rows, item, span);
        }
    }
    int64_t *permutation = elab_extents(e, rank + 1);
    for (int64_t i = 0; i <= rank; i++) {
        permutation[i] = i == rank ? 1 : i + 2;
    }
    Value *result = elab_transpose(e, permutation, rows, span);
    if (value->rank > 1) {
        Value *shape = elab_known(e, TAIL_INT, value->rank, value->extents, span);
        Value *rest = elab_drop(e, 0, elab_int(e, 1, span), elab_shape(e, result, span), span);
        result = elab_reshape(e, elab_catenate(e, 0, shape, rest, span), result, span);
    }
    return result;
}

/* ---- structure of tuples ------------------------------------------------------------- */

void elab_unknown_item(Elaboration *e, const Value *position)
{
    if (position->kind != VALUE_ARRAY || position->rank > 1) {
        elab_fail(e, position->span, "RANK ERROR",
                  "positions of nested items are a number or a list");
    }
    if (position->base > TAIL_INT) {
        elab_fail(e, position->span, "DOMAIN ERROR", "positions must be whole numbers");
    }
    elab_fail(e, position->span, "RANK ERROR",
              "which of the nested items is meant is not known: %s is known only at run time;"
              " items of one rank can be joined by ↑ and indexed then, as in (↑t)[i;]",
              elab_text(e, elab_place(e, position->span)));
}

static Value *tuple_pick(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    Value *path = elab_array_only(e, call->left, call->span, "a nested path");
    if (path->known == NULL || path->rank > 1) {
        elab_unknown_item(e, path);
    }
    int64_t length = path->rank == 0 ? 1 : path->extents[0];
    for (int64_t i = 0; i < length; i++) {
        Value *position = elab_at(e, elab_int(e, path->known[i], path->span), path->span);
        value = elab_index(e, value, 1, &position, call->origin, call->span);
    }
    return value;
}

/* Nesting is as deep as the program made it: the stack has to bear it. */
void elab_deeper(Elaboration *e, Span span)
{
    if (++e->depth > NESTING_LIMIT * 3) {
        elab_fail(e, span, "LIMIT ERROR", "items are nested too deeply");
    }
}

/* 1 more than the deepest item's; 0 of a scalar. */
static int64_t depth_of(Elaboration *e, const Value *value, Span span)
{
    if (value->kind != VALUE_TUPLE) {
        return value->rank > 0;
    }
    int64_t deepest = 0;
    elab_deeper(e, span);
    for (size_t i = 0; i < value->count + (value->count == 0); i++) {
        int64_t depth = depth_of(e, value->items[i], span);
        deepest = depth > deepest ? depth : deepest;
    }
    e->depth--;
    return deepest + 1;
}

/* All scalars of all items in one vector. */
static Value *enlist(Elaboration *e, Value *value, Span span)
{
    if (value->kind != VALUE_TUPLE) {
        return elab_ravel(e, elab_array_only(e, value, span, "∊ (enlist)"), span);
    }
    Value *all = NULL;
    elab_deeper(e, span);
    if (value->count == 0) { /* of the kind of its first scalar */
        Value *none = enlist(e, value->items[0], span);
        e->depth--;
        return elab_empty(e, none->base, span);
    }
    for (size_t i = 0; i < value->count; i++) {
        Value *item = enlist(e, value->items[i], span);
        all = all == NULL ? item : elab_catenate(e, 0, all, item, span);
    }
    e->depth--;
    return all;
}

Value *elab_tuple_match(Elaboration *e, Value *left, Value *right, Span span)
{
    if (left->kind == VALUE_ARRAY && right->kind == VALUE_ARRAY) {
        Call call = {.primitive = APL_MATCH, .left = left, .right = right, .span = span};
        return elab_rule_match(e, &call);
    }
    bool same = left->rank == right->rank;
    for (int64_t i = 0; same && i < left->rank; i++) {
        int64_t a = left->extents[i], b = right->extents[i];
        if (a < 0 || b < 0) {
            elab_nonce(e, span, "≡ (match) of nested items and an array of run-time extent is");
        }
        same = a == b;
    }
    Value *match = elab_bool(e, same, span);
    int64_t count = same ? elab_known_count(e, left, span) : 0;
    elab_deeper(e, span);
    if (same && count == 0) { /* of one kind */
        Value *item = elab_item_or_prototype(e, left, span);
        match = elab_tuple_match(e, item, elab_item_or_prototype(e, right, span), span);
    }
    for (int64_t k = 0; k < count; k++) {
        Value *item = elab_item(e, left, k, span);
        item = elab_tuple_match(e, item, elab_item(e, right, k, span), span);
        Call both = {.primitive = APL_AND, .left = match, .right = item, .span = span};
        match = k == 0 ? item : elab_scalar_function(e, &both);
    }
    e->depth--;
    return match;
}

static Value *tuple_reshape(Elaboration *e, const Call *call)
{
    Value *shape =
        elab_ravel(e, elab_as_int(e, call->left, call->left->span, "lengths of axes"), call->span);
    if (shape->known == NULL) {
        elab_nonce(e, call->span, "⍴ of nested items to a shape that only run time knows is");
    }
    int64_t count = 1, rank = shape->extents[0];
    for (int64_t i = 0; i < rank; i++) {
        elab_check_length(e, shape->known[i], call->left->span);
        count *= shape->known[i];
        if (shape->known[i] < 0 || count > SIZE_LIMIT) {
            elab_fail(e, call->span, shape->known[i] < 0 ? "DOMAIN ERROR" : "LIMIT ERROR",
                      "an axis of length %s", elab_digits(e, shape->known[i]));
        }
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    int64_t given = (int64_t)call->right->count;
    elab_spend(e, call->span, count);
    items[0] = call->right->items[0];
    for (int64_t k = 0; k < count; k++) {
        items[k] = call->right->items[given > 0 ? k % given : 0];
    }
    return elab_tuple(e, rank, shape->known, (size_t)count, items, call->span);
}

static Value *tuple_monadic(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    int64_t count = (int64_t)value->count;
    switch ((int)call->primitive) {
    case APL_RHO: return elab_known(e, TAIL_INT, value->rank, value->extents, call->span);
    case APL_TALLY: return elab_int(e, value->rank == 0 ? 1 : value->extents[0], call->span);
    case APL_COMMA: return elab_tuple(e, 1, &count, value->count, value->items, call->span);
    case APL_COMMA_BAR: return elab_nested_table(e, value, call->span);
    case APL_TRANSPOSE: return elab_rule_transpose(e, call);
    case APL_UP: return elab_mix(e, value, call->span);
    case APL_DISCLOSE: return value->items[0];
    case APL_MATCH: return elab_int(e, depth_of(e, value, call->span), call->span);
    case APL_EPSILON: return enlist(e, value, call->span);
    case APL_ENCLOSE: return elab_enclose(e, value, call->span);
    case APL_FORMAT: return elab_nested_format(e, value, call->span);
    case APL_UNION: return elab_nested_set(e, call);
    case APL_GRADE_UP:
    case APL_GRADE_DOWN: return elab_nested_grade(e, call);
    default: return NULL;
    }
}

/* Those that take an axis. */
static Value *tuple_along(Elaboration *e, const Call *call)
{
    bool right = call->right->kind == VALUE_TUPLE;
    if (call->left != NULL && call->left->kind == VALUE_TUPLE && call->primitive != APL_COMMA &&
        call->primitive != APL_COMMA_BAR) {
        return NULL;
    }
    switch ((int)call->primitive) {
    case APL_COMMA:
    case APL_COMMA_BAR: return call->left == NULL ? NULL : elab_nested_catenate(e, call);
    case APL_UP:
    case APL_DOWN: return !right || call->left == NULL ? NULL : elab_nested_cut(e, call);
    case APL_REVERSE:
    case APL_REVERSE_FIRST: return right ? elab_nested_reverse(e, call) : NULL;
    case APL_SLASH:
    case APL_SLASH_BAR:
    case APL_BACKSLASH:
    case APL_BACKSLASH_BAR: return elab_nested_replicate(e, call);
    case APL_ENCLOSE: return call->left == NULL ? NULL : elab_partition(e, call);
    default: return NULL;
    }
}

Value *elab_tuple_primitive(Elaboration *e, const Call *call)
{
    Value *along = tuple_along(e, call);
    if (along != NULL || call->axis != NULL) {
        return along;
    }
    if (call->left == NULL) {
        return tuple_monadic(e, call);
    }
    switch ((int)call->primitive) {
    case APL_IOTA:
    case APL_EPSILON: return elab_nested_find(e, call);
    case APL_UNION:
    case APL_INTERSECTION:
    case APL_TILDE: return elab_nested_set(e, call);
    case APL_GRADE_UP:
    case APL_GRADE_DOWN: return elab_nested_grade(e, call);
    case APL_MATCH:
    case APL_TALLY: {
        Value *match = elab_tuple_match(e, call->left, call->right, call->span);
        Call tilde = {.primitive = APL_TILDE, .right = match, .span = call->span};
        return call->primitive == APL_MATCH ? match : elab_scalar_function(e, &tilde);
    }
    default: break;
    }
    if (call->right->kind != VALUE_TUPLE) {
        return NULL;
    }
    switch ((int)call->primitive) {
    case APL_RHO: return tuple_reshape(e, call);
    case APL_TRANSPOSE: return elab_rule_transpose(e, call);
    case APL_DISCLOSE:
    case APL_SQUISH: return tuple_pick(e, call);
    default: return NULL;
    }
}
