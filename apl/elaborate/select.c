/* Selecting: take, drop, compress and replicate.

       2 ¯3↑m   ==>  transp(take(-3, transp(take(2,m))))
       b/v      ==>  compress(b,v)
       b⌿m      ==>  idxA(1, compress(b,iota(n)), m): the positions, then an index */
#include "apl/elaborate/internal.h"

/* ---- ↑ and ↓ with a left argument ------------------------------------------------------------ */

static Value *slice_elements(Elaboration *e, const Value *value, int64_t from, int64_t count,
                             Span span)
{
    Value *items[KNOWN_LIMIT];
    if (count == 0) {
        return elab_empty(e, value->base, span);
    }
    for (int64_t k = 0; k < count; k++) {
        items[k] = elab_element(e, value, from + k);
    }
    return elab_vector(e, (size_t)count, items, span);
}

static Value *along_first(Elaboration *e, TailBuiltin builtin, int64_t axis, Value *count,
                          Value *value, Span span)
{
    if (axis == 0) {
        return ELAB_VALUE(e, builtin, span, count->exp, value->exp);
    }
    /* rotate the axes so that this one is first, and back */
    int64_t *there = elab_extents(e, value->rank), *back = elab_extents(e, value->rank);
    for (int64_t i = 0; i < value->rank; i++) {
        there[i] = i < axis ? i + 2 : i == axis ? 1 : i + 1;
        back[there[i] - 1] = i + 1;
    }
    Value *moved = elab_transpose(e, there, value, span);
    Value *cut = ELAB_VALUE(e, builtin, span, count->exp, moved->exp);
    return elab_transpose(e, back, cut, span);
}

Value *elab_take(Elaboration *e, int64_t axis, Value *count, Value *value, Span span)
{
    int64_t known = 0, *extents = elab_extents(e, value->rank);
    bool is_known = elab_constant(count, &known);
    memcpy(extents, value->extents, sizeof(int64_t) * (size_t)value->rank);
    extents[axis] = is_known ? (known < 0 ? -known : known) : -1;
    if (is_known && extents[axis] == value->extents[axis]) {
        return value;
    }
    if (is_known && elab_has_elements(value) && extents[axis] <= value->extents[0]) {
        return slice_elements(e, value, known < 0 ? value->extents[0] + known : 0, extents[0],
                              span);
    }
    if (is_known && value->rank == 1 && known == 0) {
        return elab_empty(e, value->base, span);
    }
    Value *result = along_first(e, TAIL_OP_TAKE, axis, count, value, span);
    ((int64_t *)(uintptr_t)result->extents)[axis] = -1;
    elab_set_extents(result, extents);
    elab_pass_take(e, axis, count, value, result);
    return result;
}

Value *elab_drop(Elaboration *e, int64_t axis, Value *count, Value *value, Span span)
{
    int64_t known = 0, *extents = elab_extents(e, value->rank), old = value->extents[axis];
    bool is_known = elab_constant(count, &known);
    int64_t size = known < 0 ? -known : known;
    if (is_known && known == 0) {
        return value;
    }
    memcpy(extents, value->extents, sizeof(int64_t) * (size_t)value->rank);
    extents[axis] = is_known && old >= 0 ? (old > size ? old - size : 0) : -1;
    if (is_known && elab_has_elements(value)) {
        return slice_elements(e, value, known < 0 ? 0 : size, extents[0], span);
    }
    if (value->rank == 1 && extents[0] == 0) {
        return elab_empty(e, value->base, span);
    }
    Value *result = along_first(e, TAIL_OP_DROP, axis, count, value, span);
    ((int64_t *)(uintptr_t)result->extents)[axis] = -1;
    elab_set_extents(result, extents);
    result->uniform = value->uniform;
    result->uniform_value = value->uniform_value;
    elab_pass_drop(e, axis, count, value, result);
    return result;
}

/* The left argument has an item for every axis; a scalar right argument gets as many axes. */
static Value *take_or_drop(Elaboration *e, const Call *call, bool take)
{
    const char *what = take ? "arguments of ↑" : "arguments of ↓";
    Value *counts = elab_as_int(e, call->left, call->left->span, what);
    if (counts->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "a left argument of rank %lld",
                  (long long)counts->rank);
    }
    counts = elab_ravel(e, counts, call->span);
    Value *value = call->right;
    if (counts->extents[0] < 0) {
        Span place = call->left->span;
        const char *text = elab_text(e, elab_place(e, place));
        elab_fail(e, place, "RANK ERROR",
                  "how many axes are meant is not known: the length of %s is known only at run"
                  " time; say how many there are, as in (%lld↑%s)%sx",
                  text, (long long)value->rank, text, take ? "↑" : "↓");
    }
    int64_t count = counts->extents[0];
    if (value->rank == 0 && count > 0) {
        int64_t *ones = elab_extents(e, count);
        for (int64_t i = 0; i < count; i++) {
            ones[i] = 1;
        }
        value =
            elab_reshape(e, elab_known(e, TAIL_INT, count, ones, call->span), value, call->span);
    }
    int64_t axes[RANK_LIMIT];
    if (call->axis != NULL) {
        elab_axes(e, call, count, value->rank, axes);
    } else if (count != value->rank) {
        elab_fail(e, call->span, "LENGTH ERROR",
                  "%lld number%s for %lld ax%s; write one number an axis", (long long)count,
                  count == 1 ? "" : "s", (long long)value->rank, value->rank == 1 ? "is" : "es");
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t number, axis = call->axis != NULL ? axes[i] : i;
        Value *item = elab_item(e, counts, i, call->span);
        if (elab_constant(item, &number)) {
            elab_check_length(e, number, call->left->span);
        }
        value = take ? elab_take(e, axis, item, value, call->span)
                     : elab_drop(e, axis, item, value, call->span);
    }
    return value;
}

Value *elab_rule_up(Elaboration *e, const Call *call)
{
    return call->left == NULL ? call->right : take_or_drop(e, call, true);
}

Value *elab_rule_down(Elaboration *e, const Call *call)
{
    if (call->left == NULL) {
        Value *value = call->right;
        int64_t last = value->rank == 0 ? 0 : value->rank - 1;
        int64_t axis = elab_axis(e, call, value->rank, last);
        return elab_split(e,
                          value->rank == 0 ? value : elab_axis_to_last(e, axis, value, call->span),
                          call->span);
    }
    return take_or_drop(e, call, false);
}

/* ---- / and ⌿ with an array to their left ----------------------------------------------------- */

static Value *replicate_vector(Elaboration *e, Value *counts, Value *value, Span span)
{
    if (counts->base == TAIL_BOOL) {
        return ELAB_VALUE(e, TAIL_OP_COMPRESS, span, counts->exp, value->exp);
    }
    counts = elab_as_int(e, counts, counts->span, "counts");
    Value *fill = elab_fill(e, value->base, span);
    return ELAB_VALUE(e, TAIL_OP_REPLICATE, span, fill->exp, counts->exp, value->exp);
}

static Value *spread(Elaboration *e, Value *value, Value *count, Span span)
{
    Value *one = elab_as_scalar(e, value, span);
    return elab_reshape(e, elab_at(e, elab_vector(e, 1, &count, span), span), one, span);
}

/* Both sides become vectors of one length: a scalar (or a one-item vector) extends. */
static void equal_lengths(Elaboration *e, Value **counts, Value **items, Span span)
{
    int64_t a = (*counts)->rank == 0 ? 1 : (*counts)->extents[0];
    int64_t b = (*items)->rank == 0 ? 1 : (*items)->extents[0];
    if (a >= 0 && b >= 0 && a != b && a != 1 && b != 1) {
        elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)a, (long long)b);
    }
    if (a == 1 && b != 1) {
        *counts =
            elab_at(e, spread(e, *counts, elab_extent(e, *items, 0, span), span), (*counts)->span);
    } else if (b == 1 && a != 1) {
        *items = spread(e, *items, elab_extent(e, *counts, 0, span), span);
    }
    *counts = elab_at(e, elab_ravel(e, *counts, span), (*counts)->span);
    *items = elab_ravel(e, *items, span);
}

/* How many items remain, where the counts are known. */
static int64_t total(const Value *counts)
{
    int64_t sum = 0;
    for (int64_t i = 0; counts->known != NULL && i < counts->extents[0]; i++) {
        if (counts->known[i] > LENGTH_LIMIT || counts->known[i] < -LENGTH_LIMIT) {
            return -1;
        }
        sum += counts->known[i] < 0 ? -counts->known[i] : counts->known[i];
    }
    return counts->known != NULL ? sum : -1;
}

static bool may_be_negative(const Value *counts)
{
    bool negative = counts->base != TAIL_BOOL && counts->known == NULL;
    for (int64_t i = 0; counts->known != NULL && i < counts->extents[0]; i++) {
        negative = negative || counts->known[i] < 0;
    }
    return negative;
}

/* n/a with one number n is views alone: n copies of a as a new axis after the one at work, then both as
   one. Where n is negative, these are none, and -n fills for each item follow. */
static Value *replicate_evenly(Elaboration *e, Value *count, Value *value, int64_t axis, Span span)
{
    Value *shape[RANK_LIMIT + 1], *zero = elab_int(e, 0, span);
    int64_t permutation[RANK_LIMIT + 1], number = -1;
    Call positive = {.primitive = APL_CEILING, .left = count, .right = zero, .span = span};
    shape[0] = elab_scalar_function(e, &positive);
    permutation[0] = axis + 2;
    for (int64_t i = 0; i < value->rank; i++) {
        shape[i + 1] = elab_extent(e, value, i, span);
        permutation[i + 1] = i <= axis ? i + 1 : i + 2;
    }
    Value *copies =
        elab_reshape(e, elab_vector(e, (size_t)value->rank + 1, shape, span), value, span);
    copies = elab_transpose(e, permutation, copies, span);
    Call length = {
        .primitive = APL_TIMES, .left = shape[0], .right = shape[axis + 1], .span = span};
    Call all = {.primitive = APL_TIMES, .right = shape[axis + 1], .span = span};
    shape[axis + 1] = elab_scalar_function(e, &length);
    value = elab_reshape(e, elab_vector(e, (size_t)value->rank, shape + 1, span), copies, span);
    if (elab_constant(count, &number) && number >= 0) {
        return value;
    }
    Call magnitude = {.primitive = APL_STILE, .right = count, .span = span};
    all.left = elab_scalar_function(e, &magnitude);
    return elab_take(e, axis, elab_scalar_function(e, &all), value, span);
}

Value *elab_rule_replicate(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    if (call->left == NULL) {
        elab_fail(e, call->span, "SYNTAX ERROR", "%s needs a function or an array to its left",
                  apl_primitive_glyph(call->primitive));
    }
    Value *counts = elab_array_only(e, call->left, call->span, "replication");
    bool expand = call->primitive == APL_BACKSLASH || call->primitive == APL_BACKSLASH_BAR;
    bool first_axis = call->primitive == APL_SLASH_BAR || call->primitive == APL_BACKSLASH_BAR;
    int64_t axis =
        elab_axis(e, call, value->rank, first_axis || value->rank == 0 ? 0 : value->rank - 1);
    if (counts->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "counts of rank %lld", (long long)counts->rank);
    }
    if (counts->base != TAIL_BOOL) {
        counts = elab_as_int(e, counts, counts->span, "counts");
    }
    if (expand) {
        return elab_expand(e, counts, value, axis, call->span);
    }
    if (counts->base != TAIL_BOOL && value->rank < RANK_LIMIT && elab_one_element(counts)) {
        Value *items = value->rank == 0 ? elab_ravel(e, value, call->span) : value;
        return replicate_evenly(e, elab_as_scalar(e, counts, call->span), items, axis, call->span);
    }
    if (value->rank <= 1) {
        equal_lengths(e, &counts, &value, call->span);
        Value *result = replicate_vector(e, counts, value, call->span);
        int64_t length = total(counts);
        elab_set_extents(result, &length);
        return result;
    }
    Value *extent = elab_extent(e, value, axis, call->span);
    Value *positions = ELAB_VALUE(e, TAIL_OP_IOTA, call->span, extent->exp);
    elab_set_extents(positions, &value->extents[axis]);
    if (value->extents[axis] == 1) { /* an axis of one item extends */
        positions = elab_vector(e, 1, (Value *[]){elab_int(e, 1, call->span)}, call->span);
    }
    equal_lengths(e, &counts, &positions, call->span);
    if (may_be_negative(counts)) { /* fill is the item after the last one */
        Value *fill = elab_fill(e, value->base, call->span);
        value = elab_catenate(e, axis, value, fill, call->span);
        Call plus = {.primitive = APL_PLUS,
                     .left = extent,
                     .right = elab_int(e, 1, call->span),
                     .span = call->span};
        Value *after = elab_scalar_function(e, &plus);
        positions = ELAB_VALUE(e, TAIL_OP_REPLICATE, call->span, after->exp, counts->exp,
                               elab_cast(e, positions, TAIL_INT, call->span)->exp);
    } else {
        positions = replicate_vector(e, counts, positions, call->span);
    }
    int64_t length = total(counts);
    elab_set_extents(positions, &length);
    Value **indices = ARENA_ARRAY(e->c->arena, Value *, value->rank);
    indices[axis] = positions;
    return elab_index(e, value, (size_t)value->rank, indices, 1, call->span);
}
