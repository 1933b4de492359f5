/* Indexed assignment. Arrays are values: the name is bound to a new array, and what else had the
   old one keeps it.

       a[i;j]←v   ==>  update(3,[i,j],v,a)          scalar positions and whole axes
       a[;j]←v    ==>  update(2,[j],v,a)
       a[1+⍳n;]←v ==>  put([2,1],[n,3],[1,1],v,a)         positions that go up by equal steps (progressions.c)
       a[is]←v    ==>  reshape(shape(a), assign(linear positions, rav(v), rav(a)))
       a[is]←x    ==>  reshape(shape(a), assignS(linear positions, x, rav(a)))    of a scalar

       (f@is) a   ==>  a[is;]←f a[is;]
       (f@g) a    ==>  the same in the ravel, at the places where g a is 1
       (x@g) a    ==>  (g a){⍺: x ⋄ ⍵}¨a                      of a scalar, also of scalar functions

       (2↑a)←v    ==>  a[2↑⍳≢a]←v                   and so for all functions that select
       (,m)←v     ==>  m←(⍴m)⍴((,m)[,(⍴m)⍴⍳×/⍴m]←v)

       a[i] f←v   ==>  a[i]←a[i] f v                of one place, and of a few, one after the other
       a[is] f←v  ==>  reshape(shape(a), accum(f, linear positions, rav(v), rav(a)))

   Where positions coincide the last value wins; f is applied to what is there by then, once for each
   value that is meant for a place. */
#include "apl/elaborate/internal.h"

static Value *arithmetic(Elaboration *e, AplPrimitive primitive, Value *left, Value *right,
                         Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

/* Axis by axis they have, or may have, the same extents. */
static bool agrees(const Value *value, int64_t rank, Value *const *extents)
{
    bool same = value->rank == rank;
    for (int64_t i = 0; same && i < rank; i++) {
        int64_t known = value->extents[i];
        same = !elab_constant(extents[i], &known) || value->extents[i] < 0 ||
               value->extents[i] == known;
    }
    return same;
}

/* A scalar or one-element value goes to all places; else shapes agree, axes of length 1 aside. */
static Value *spread_value(Elaboration *e, Value *value, int64_t rank, Value *const *extents,
                           Span span)
{
    if (rank == 0) {
        return elab_as_scalar(e, value, span);
    }
    Value *shape = elab_vector(e, (size_t)rank, extents, span);
    if (value->rank == 0 || elab_one_element(value)) {
        return elab_reshape(e, shape, elab_as_scalar(e, value, span), span);
    }
    if (agrees(value, rank, extents)) {
        for (int64_t i = 0; i < rank; i++) {
            value = elab_same(e, elab_extent(e, value, i, span), extents[i], value, span);
        }
        return value;
    }
    int64_t axis = 0;
    for (int64_t i = 0; i < value->rank; i++) {
        int64_t known;
        if (value->extents[i] == 1) {
            continue;
        }
        while (axis < rank && elab_constant(extents[axis], &known) && known == 1) {
            axis++;
        }
        if (axis == rank && value->rank == rank) {
            elab_fail(e, span, "LENGTH ERROR", "more values than places");
        }
        if (axis == rank) {
            elab_fail(e, span, "RANK ERROR", "values of rank %lld for places of rank %lld",
                      (long long)value->rank, (long long)rank);
        }
        value = elab_same(e, elab_extent(e, value, i, span), extents[axis++], value, span);
    }
    int64_t missing = 0, known;
    while (axis < rank && elab_constant(extents[axis], &known) && known == 1) {
        axis++;
    }
    missing = rank - axis;
    if (missing > 0) {
        elab_fail(e, span, "RANK ERROR", "values of rank %lld for places of rank %lld",
                  (long long)value->rank, (long long)rank);
    }
    return elab_reshape(e, shape, value, span);
}

/* Scalar positions and whole axes: in place where the array is not used again. */
static Value *update(Elaboration *e, Value *array, size_t count, Value *const *positions,
                     Value *value, Span span)
{
    Value **fixed = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    Value **open = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    size_t given = 0, rest = 0;
    int64_t mask = 0;
    for (size_t axis = 0; axis < count; axis++) {
        if (positions[axis] != NULL) {
            fixed[given++] = positions[axis];
            mask |= INT64_C(1) << axis;
        } else {
            open[rest++] = elab_extent(e, array, (int64_t)axis, span);
        }
    }
    value = spread_value(e, value, (int64_t)rest, open, span);
    Value *place = given > 0 ? elab_vector(e, given, fixed, span) : elab_empty(e, TAIL_INT, span);
    Value *bits = elab_int(e, mask, span);
    place = elab_sized(e, elab_cast(e, place, TAIL_INT, span), span);
    return ELAB_VALUE(e, TAIL_OP_UPDATE, span, bits->exp, place->exp, value->exp, array->exp);
}

static Value **extents_of_places(Elaboration *e, const Value *array, size_t count,
                                 Value *const *positions, int64_t *ranks, Span span)
{
    Value **extents = ARENA_ARRAY(e->c->arena, Value *, count * RANK_LIMIT + 1);
    int64_t rank = 0;
    for (size_t axis = 0; axis < count; axis++) {
        const Value *position = positions[axis];
        for (int64_t i = 0; position && i < position->rank; i++) {
            extents[rank++] = elab_extent(e, position, i, span);
        }
        if (!position) {
            extents[rank++] = elab_extent(e, array, (int64_t)axis, span);
        }
    }
    *ranks = rank;
    return extents;
}

/* The sum of the axes' positions times their strides, from 1, in the shape of the places. */
static Value *linear_positions(Elaboration *e, const Value *array, size_t count,
                               Value *const *positions, Span span)
{
    Value *linear = elab_int(e, 0, span), *stride = elab_int(e, 1, span);
    if (count == 1) { /* checked where the values are assigned */
        return positions[0];
    }
    for (size_t axis = count; axis-- > 0;) {
        Value *extent = elab_extent(e, array, (int64_t)axis, span);
        Value *all = ELAB_VALUE(e, TAIL_OP_IOTA, span, extent->exp);
        elab_set_extents(all, &array->extents[axis]);
        Value *position = positions[axis];
        /* taken from all positions of the axis, so that each is checked against its own extent */
        position = position == NULL ? all : elab_index(e, all, 1, &position, 1, span);
        Value *offset =
            arithmetic(e, APL_TIMES, stride,
                       arithmetic(e, APL_MINUS, position, elab_int(e, 1, span), span), span);
        Value *plus = elab_function(e, elab_primitive(e, APL_PLUS, span));
        bool either_scalar = offset->rank == 0 || linear->rank == 0;
        linear = either_scalar
                     ? arithmetic(e, APL_PLUS, offset, linear, span)
                     : elab_apply_prelude_operator(e, "∆outer", plus, NULL, offset, linear, span);
        stride = arithmetic(e, APL_TIMES, stride, extent, span);
    }
    return arithmetic(e, APL_PLUS, linear, elab_int(e, 1, span), span);
}

static Value *scatter(Elaboration *e, Value *array, size_t count, Value *const *positions,
                      Value *value, Span span)
{
    Value *linear = linear_positions(e, array, count, positions, span);
    bool same = value->rank == 0;
    if (!same) {
        int64_t rank = 0;
        Value **extents = extents_of_places(e, array, count, positions, &rank, span);
        value = elab_ravel(e, spread_value(e, value, rank, extents, span), span);
    }
    linear = elab_ravel(e, linear, span);
    Value *flat = ELAB_VALUE(e, same ? TAIL_OP_ASSIGNS : TAIL_OP_ASSIGN, span, linear->exp,
                             value->exp, elab_ravel(e, array, span)->exp);
    int64_t items = elab_count(array);
    elab_set_extents(flat, &items);
    return array->rank == 1 ? flat : elab_reshape(e, elab_shape(e, array, span), flat, span);
}

/* A block of the array: along each axis from a first position on, by equal steps. */
static Value *put(Elaboration *e, Value *array, const BlockAxis *axes, Value *value, Span span)
{
    const size_t rank = (size_t)array->rank;
    Value **firsts = ARENA_ARRAY(e->c->arena, Value *, rank + 1);
    Value **steps = ARENA_ARRAY(e->c->arena, Value *, rank + 1);
    Value **counts = ARENA_ARRAY(e->c->arena, Value *, rank + 1);
    for (size_t axis = 0; axis < rank; axis++) {
        firsts[axis] = axes[axis].first;
        steps[axis] = elab_int(e, axes[axis].step, span);
        counts[axis] = axes[axis].count;
    }
    if (value->rank != array->rank) { /* of axes at which one position is meant, too */
        value = elab_reshape(e, elab_vector(e, rank, counts, span), value, span);
    }
    Value *first =
        elab_sized(e, elab_cast(e, elab_vector(e, rank, firsts, span), TAIL_INT, span), span);
    Value *shape =
        elab_sized(e, elab_cast(e, elab_vector(e, rank, counts, span), TAIL_INT, span), span);
    Value *step = elab_sized(e, elab_vector(e, rank, steps, span), span);
    Value *result =
        ELAB_VALUE(e, TAIL_OP_PUT, span, first->exp, shape->exp, step->exp, value->exp, array->exp);
    elab_set_extents(result, array->extents);
    return result;
}

/* How many places are meant, where the positions are scalars and short vectors, but for whole axes; 0: it is not known,
   or they are many. */
static int64_t few_places(size_t count, Value *const *positions)
{
    enum { FEW = 8 };
    int64_t places = 1;
    for (size_t axis = 0; axis < count; axis++) {
        const Value *position = positions[axis];
        if (position && position->rank > 0) {
            int64_t extent = position->rank == 1 ? position->extents[0] : -1;
            if (extent < 0 || extent > FEW || places * extent > FEW) {
                return 0;
            }
            places *= extent;
        }
    }
    return places;
}

/* f item by item. */
static Value *modified(Elaboration *e, Function *function, Value *before, Value *value, Span span)
{
    bool scalars = before->rank == 0 || (function->kind == FUNCTION_PRIMITIVE &&
                                         elab_is_scalar_function(function->primitive, true));
    return scalars ? elab_apply(e, function, before, value, function->span)
                   : elab_each(e, function, before, value, span);
}

/* Many places, of which some may be the same one. */
static Value *accumulate(Elaboration *e, Value *array, size_t count, Value *const *positions,
                         Function *function, Value *value, Span span)
{
    Value *linear = linear_positions(e, array, count, positions, span);
    int64_t rank = 0;
    Value **extents = extents_of_places(e, array, count, positions, &rank, span);
    value = elab_ravel(e, spread_value(e, value, rank, extents, span), span);
    const char *where = "an indexed assignment";
    TailBaseKind base = array->base;
    const TailExp *lambda = elab_fold_lambda(e, function, where, &base, &value->base, span);
    if (function->kind == FUNCTION_PRIMITIVE &&
        value->base < base) { /* so that f is one operator */
        value = elab_cast(e, value, base, span);
        lambda = elab_fold_lambda(e, function, where, &base, NULL, span);
    }
    Value *items = elab_ravel(e, elab_cast(e, array, base, span), span);
    Value *flat = ELAB_VALUE(e, TAIL_OP_ACCUM, span, lambda, elab_ravel(e, linear, span)->exp,
                             value->exp, items->exp);
    elab_set_extents(flat, items->extents);
    return array->rank == 1 ? flat : elab_reshape(e, elab_shape(e, array, span), flat, span);
}

/* One place after the other, in row-major order. */
static Value *update_each(Elaboration *e, Value *array, size_t count, Value *const *positions,
                          int64_t places, Function *function, Value *value, Span span)
{
    Value **at = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    Value **of = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    if (value->rank > 0) {
        int64_t rank = 0;
        Value **extents = extents_of_places(e, array, count, positions, &rank, span);
        value = spread_value(e, value, rank, extents, span);
    }
    for (int64_t k = 0; k < places; k++) {
        int64_t rest = k;
        size_t axes = (size_t)value->rank;
        for (size_t axis = count; axis-- > 0;) {
            const Value *position = positions[axis];
            at[axis] = positions[axis];
            if (position && position->rank > 0) {
                Value *number = elab_int(e, rest % position->extents[0] + 1, span);
                at[axis] = elab_index(e, positions[axis], 1, &number, 1, span);
                rest /= position->extents[0];
                if (axes > 0) {
                    of[--axes] = number;
                }
            } else if (!position && axes > 0) {
                of[--axes] = NULL;
            }
        }
        Value *item =
            value->rank == 0 ? value : elab_index(e, value, (size_t)value->rank, of, 1, span);
        array = elab_assign(e, array, count, at, 1, function, item, span);
    }
    return array;
}

/* One item of a tuple: a new tuple. */
static Value *assign_tuple(Elaboration *e, const Value *tuple, size_t count,
                           Value *const *positions, int64_t origin, Function *function,
                           Value *value, Span span)
{
    if ((int64_t)count != tuple->rank) {
        elab_fail(e, span, "RANK ERROR", "%zu indices for an array of rank %lld", count,
                  (long long)tuple->rank);
    }
    Value **items = arena_copy(e->c->arena, tuple->items, tuple->count * sizeof *tuple->items);
    size_t place = elab_tuple_place(e, tuple, count, positions, origin, span);
    if (function != NULL) {
        value = elab_apply(e, function, items[place], value, function->span);
    }
    bool enclosed = value->kind == VALUE_TUPLE && value->rank == 0;
    items[place] = enclosed ? value->items[0] : value;
    return elab_tuple(e, tuple->rank, tuple->extents, tuple->count, items, span);
}

/* tuple[1 3]←v: one item after the other; what is enclosed, or a scalar, goes to each. */
static Value *assign_items(Elaboration *e, Value *tuple, const Value *positions, int64_t origin,
                           Function *function, Value *value, Span span)
{
    int64_t count = positions->extents[0];
    bool same = value->rank == 0, fits = same || elab_known_count(e, value, span) == count;
    if (!fits) {
        elab_fail(e, span, "LENGTH ERROR", "%lld and %lld",
                  (long long)elab_known_count(e, value, span), (long long)count);
    }
    elab_spend(e, span, count);
    for (int64_t k = 0; k < count; k++) {
        Value *position = elab_element(e, positions, k);
        Value *item = same ? value : elab_item(e, value, k, span);
        tuple = assign_tuple(e, tuple, 1, &position, origin, function, item, span);
    }
    return tuple;
}

/* array[(1 2)(3 4)]←v: one item after the other. */
static Value *assign_positions(Elaboration *e, Value *array, const Value *positions, int64_t origin,
                               Function *function, Value *value, Span span)
{
    int64_t count = (int64_t)positions->count, values = elab_known_count(e, value, span);
    if (values != 1 && values != count) {
        elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)values, (long long)count);
    }
    elab_spend(e, span, count);
    for (int64_t k = 0; k < count; k++) {
        Value **parts = elab_position_parts(e, array, positions->items[k], span);
        Value *item = elab_item(e, value, values == 1 ? 0 : k, span);
        array = elab_assign(e, array, (size_t)array->rank, parts, origin, function, item, span);
    }
    return array;
}

/* One place, or part of the array: all positions are scalars. */
static bool is_one_part(size_t count, Value *const *positions)
{
    bool one = true;
    for (size_t axis = 0; axis < count; axis++) {
        one = one && (positions[axis] == NULL || positions[axis]->rank == 0);
    }
    return one;
}

Value *elab_assign(Elaboration *e, Value *array, size_t count, Value *const *positions,
                   int64_t origin, Function *function, Value *value, Span span)
{
    if (array->kind == VALUE_TUPLE && array->rank == 1 && count == 1 && positions[0] != NULL &&
        positions[0]->kind == VALUE_ARRAY && positions[0]->rank == 1 &&
        (positions[0]->extents[0] == 0 || elab_has_elements(positions[0]))) {
        return assign_items(e, array, positions[0], origin, function, value, span);
    }
    if (array->kind == VALUE_TUPLE) {
        return assign_tuple(e, array, count, positions, origin, function, value, span);
    }
    elab_array_only(e, array, span, "an indexed assignment");
    elab_array_only(e, value, span, "an indexed assignment");
    if (count == 1 && positions[0] != NULL && positions[0]->kind == VALUE_TUPLE) {
        return assign_positions(e, array, positions[0], origin, function, value, span);
    }
    if ((int64_t)count != array->rank) {
        elab_fail(e, span, "RANK ERROR", "%zu ind%s for an array of rank %lld", count,
                  count == 1 ? "ex" : "ices", (long long)array->rank);
    }
    Value **numbers = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (size_t axis = 0; axis < count; axis++) {
        if (positions[axis] != NULL) {
            numbers[axis] = elab_positions(e, positions[axis], array->extents[axis], origin, span);
        }
    }
    bool one = is_one_part(count, numbers);
    int64_t places = one ? 1 : few_places(count, numbers);
    BlockAxis *axes = ARENA_ARRAY(e->c->arena, BlockAxis, count + 1);
    bool block = places == 0 && elab_is_block(e, array, numbers, axes, span);
    if (block && value->rank > 0) {
        int64_t rank = 0;
        Value **extents = extents_of_places(e, array, count, numbers, &rank, span);
        value = spread_value(e, value, rank, extents, span);
    }
    if ((one || block) && function != NULL) {
        value = modified(e, function, elab_index(e, array, count, numbers, 1, span), value, span);
        elab_array_only(e, value, span, "an indexed assignment");
    }
    const int64_t *extents = array->extents;
    if (one || block || function == NULL) {
        TailBaseKind base =
            elab_join_bases(e, array->base, value->base, span, "indexed assignment");
        array = elab_cast(e, array, base, span);
        value = elab_cast(e, value, base, span);
    }
    Value *result = one     ? update(e, array, count, numbers, value, span)
                    : block ? put(e, array, axes, value, span)
                    : places > 0
                        ? update_each(e, array, count, numbers, places, function, value, span)
                    : function ? accumulate(e, array, count, numbers, function, value, span)
                               : scatter(e, array, count, numbers, value, span);
    elab_set_extents(result, extents);
    return result;
}

/* ---- selections ------------------------------------------------------------------------------ */

Value *elab_all_positions(Elaboration *e, Value *array, Span span)
{
    if (array->kind == VALUE_TUPLE) {
        int64_t count = (int64_t)array->count, *numbers = elab_extents(e, count);
        if (array->rank != 1 || count > KNOWN_LIMIT) {
            elab_nonce(e, span,
                       "a selection of nested items, other than of a list of at most %d, is",
                       (int)KNOWN_LIMIT);
        }
        for (int64_t k = 0; k < count; k++) {
            numbers[k] = k + 1;
        }
        return elab_known(e, TAIL_INT, count, numbers, span);
    }
    if (array->rank == 0) {
        return elab_int(e, 1, span);
    }
    Value *count = elab_int(e, 1, span);
    for (int64_t axis = 0; axis < array->rank; axis++) {
        count = arithmetic(e, APL_TIMES, count, elab_extent(e, array, axis, span), span);
    }
    int64_t known = elab_count(array);
    Value *all = ELAB_VALUE(e, TAIL_OP_IOTA, span, count->exp);
    elab_set_extents(all, &known);
    all = array->rank == 1 ? all : elab_reshape(e, elab_shape(e, array, span), all, span);
    elab_set_extents(all, array->extents);
    elab_note_all(e, all);
    return all;
}

/* The same, of a part along the axes. */
static Value *assign_block(Elaboration *e, Value *array, Value *places, const BlockAxis *axes,
                           Function *function, Value *value, Span span)
{
    elab_array_only(e, value, span, "an indexed assignment");
    Value **extents = ARENA_ARRAY(e->c->arena, Value *, (size_t)array->rank + 1);
    Value **counts = ARENA_ARRAY(e->c->arena, Value *, (size_t)array->rank + 1);
    for (int64_t axis = 0; axis < array->rank; axis++) {
        extents[axis] = elab_extent(e, places, axis, span);
        counts[axis] = axes[axis].count;
    }
    if (value->rank > 0) {
        value = spread_value(e, value, array->rank, extents, span);
    }
    if (function != NULL) {
        Value *before = elab_index(e, elab_ravel(e, array, span), 1, &places, 1, span);
        value = modified(e, function, before, value, span);
        elab_array_only(e, value, span, "an indexed assignment");
    }
    if (value->rank > 0) { /* the places that are meant; see elab_is_selected_block */
        value = elab_reshape(e, elab_vector(e, (size_t)array->rank, counts, span), value, span);
    }
    TailBaseKind base = elab_join_bases(e, array->base, value->base, span, "indexed assignment");
    return put(e, elab_cast(e, array, base, span), axes, elab_cast(e, value, base, span), span);
}

Value *elab_assign_selected(Elaboration *e, Value *array, Value *places, Function *function,
                            Value *value, Span span)
{
    BlockAxis *axes = ARENA_ARRAY(e->c->arena, BlockAxis, (size_t)array->rank + 1);
    if (array->kind == VALUE_ARRAY && elab_is_selected_block(e, array, places, axes, span)) {
        return assign_block(e, array, places, axes, function, value, span);
    }
    if (array->kind == VALUE_TUPLE || array->rank == 1) {
        return elab_assign(e, array, 1, &places, 1, function, value, span);
    }
    Value *flat = elab_assign(e, elab_ravel(e, array, span), 1, &places, 1, function, value, span);
    return elab_reshape(e, elab_shape(e, array, span), flat, span);
}

/* ---- @ --------------------------------------------------------------------------------------- */

/* What stands at the places: the operand, or the operand applied to what stands there now. */
static Value *replacement(Elaboration *e, Value *operand, Value *left, Value *before, Span span)
{
    if (operand->kind == VALUE_FUNCTION) {
        return elab_apply(e, operand->function, left, before, span);
    }
    if (left != NULL) {
        elab_fail(e, span, "SYNTAX ERROR", "@ with an array to its left takes one argument");
    }
    return operand;
}

/* What stands where the mask says, item by item; NULL: that takes all of the items that are meant together. */
static Value *put_by_mask(Elaboration *e, Value *operand, Value *left, Value *mask, Value *right,
                          Span span)
{
    if (operand->kind == VALUE_ARRAY && left == NULL && operand->rank == 0) {
        elab_join_bases(e, right->base, operand->base, span, "indexed assignment");
        return elab_apply_prelude_operator(e, "∆put", operand, NULL, mask, right, span);
    }
    const Function *f = operand->kind == VALUE_FUNCTION ? operand->function : NULL;
    if (f == NULL || f->kind != FUNCTION_PRIMITIVE || f->primitive == APL_ROLL ||
        !elab_is_scalar_function(f->primitive, left != NULL) || (left && !elab_is_scalar(left))) {
        return NULL;
    }
    return elab_apply_prelude_operator(e, left ? "∆putWith" : "∆putOf", operand, left, mask, right,
                                       span);
}

Value *elab_at_places(Elaboration *e, Value *operand, Value *places, Value *left, Value *right,
                      int64_t origin, Span span)
{
    elab_array_only(e, right, span, "@ (at)");
    if (places->kind == VALUE_FUNCTION) {
        Value *mask = elab_apply(e, places->function, NULL, right, span);
        elab_array_only(e, mask, span, "a mask");
        if (mask->rank != right->rank) {
            elab_fail(e, span, "RANK ERROR", "the mask of @ has a 0 or 1 for each item");
        }
        mask = elab_truth(e, mask, span);
        for (int64_t i = 0; i < right->rank; i++) {
            Value *items = elab_extent(e, mask, i, span);
            mask = elab_same(e, items, elab_extent(e, right, i, span), mask, span);
        }
        Value *put = put_by_mask(e, operand, left, mask, right, span);
        if (put != NULL) {
            return put;
        }
        Value *counts = elab_cast(e, elab_ravel(e, mask, span), TAIL_INT, span);
        Value *flat = elab_ravel(e, right, span);
        places = elab_apply_prelude(e, "∆where", NULL, counts, span);
        Value *value =
            replacement(e, operand, left, elab_index(e, flat, 1, &places, 1, span), span);
        Value *result = elab_assign(e, flat, 1, &places, 1, NULL, value, span);
        return elab_reshape(e, elab_shape(e, right, span), result, span);
    }
    if (right->rank == 0) {
        elab_fail(e, span, "RANK ERROR", "@ of a scalar");
    }
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, right->rank);
    positions[0] = places;
    size_t count = places->kind == VALUE_TUPLE ? 1 : (size_t)right->rank; /* nested positions */
    bool apply = operand->kind == VALUE_FUNCTION;
    Value *before = apply ? elab_index(e, right, count, positions, origin, span) : NULL;
    Value *value = replacement(e, operand, left, before, span);
    return elab_assign(e, right, count, positions, origin, NULL, value, span);
}

/* ---- copies that nothing uses ------------------------------------------------------------------ */

/* Whether the item of a raw sequence is what a[i]←, a[i] f←, a f←, (2↑a)← or (2↑a) f← changes. */
static bool is_changed(const AplNode *sequence, size_t i)
{
    const AplNode *item = sequence->items[i];
    bool part = item->kind == APL_PAREN;
    size_t next = i + 1, count = sequence->count;
    if (sequence->kind != APL_SEQUENCE || next >= count ||
        (part && apl_all_names(item->items[0]))) {
        return false;
    }
    if (item->kind == APL_NAME && sequence->items[next]->kind == APL_BRACKETS) {
        part = true;
        next++;
    }
    if (next < count && sequence->items[next]->kind == APL_ASSIGN_ARROW) {
        return part;
    }
    return next + 1 < count && sequence->items[next + 1]->kind == APL_ASSIGN_ARROW;
}

/* Whether the name stands in raw code for anything but what is changed; `selected` stands at the end of a selection that is. */
static bool is_used(const AplNode *node, const char *name, const AplNode *selected)
{
    for (size_t i = 0; i < node->count; i++) {
        const AplNode *item = node->items[i];
        if (item == NULL || item == selected) {
            continue;
        }
        bool named = item->kind == APL_NAME, paren = item->kind == APL_PAREN;
        bool changed = (named || paren) && is_changed(node, i);
        if (named && item->as.text == name && !changed) {
            return true;
        }
        const AplNode *end = paren && changed ? apl_selected_name(item->items[0]) : selected;
        if (is_used(item, name, end)) {
            return true;
        }
    }
    return false;
}

void elab_check_change(Elaboration *e, const Frame *frame, const AplNode *assignment)
{
    const AplNode *target = assignment->items[0];
    const AplNode *name = apl_target_name(target);
    if (target->kind == APL_NAME && assignment->kind != APL_MODIFY) {
        return;
    }
    if (name != NULL && elab_lookup_local(frame, name->as.text) == NULL &&
        elab_lookup(frame, name->as.text) != NULL && !is_used(frame->dfn, name->as.text, NULL)) {
        elab_fail(e, target->span, "NONCE ERROR",
                  "a function does not change %s, which is a variable outside of it: this would"
                  " change a copy that is not used",
                  name->as.text);
    }
}
