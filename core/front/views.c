/* Built-in words of the front form that make arrays or rearrange them: each is a view of internal
   core on every leaf, its preconditions asserted.

       iota n                  0 <= n, DOMAIN ERROR
       reshape (n, m) xs       0 <= n, 0 <= m, n * m is the number of elements, LENGTH ERROR
       split k xs              (xs[:k], xs[k:])
       zip xs ys               nothing but equal sizes: an array of tuples is a tuple of arrays */
#include "core/front/elaborate.h"

/* ---- arguments ------------------------------------------------------------------------------- */

Span front_argument_span(const Call *call, size_t i)
{
    return front_value_span(&call->arguments[i], call->span);
}

Value front_argument(Elaborator *e, const Call *call, size_t i, const Type *wanted)
{
    return front_force(e, call->arguments[i], (Want){wanted, NULL}, front_argument_span(call, i));
}

static const char *argument_text(Elaborator *e, const Call *call, size_t i)
{
    return arena_printf(e->c->arena, "argument %zu of %s", i + 1, call->function->name);
}

bool front_argument_array(Elaborator *e, const Call *call, size_t i, Value *array)
{
    *array = front_argument(e, call, i, NULL);
    return front_need_array(e, array, argument_text(e, call, i), front_argument_span(call, i));
}

static bool argument_scalar(Elaborator *e, const Call *call, size_t i, CoreAtom *atom)
{
    Value value = front_argument(e, call, i, front_type_scalar(e, CORE_I64));
    if (value.kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_is(value.type, CORE_I64)) {
        front_mismatch(e, front_argument_span(call, i), argument_text(e, call, i), "i64",
                       front_type_text(e, value.type));
        return false;
    }
    *atom = value.leaves[0];
    return true;
}

/* A constant axis of an array. */
static bool argument_axis(Elaborator *e, const Call *call, size_t i, const Type *array,
                          size_t *axis)
{
    CoreAtom atom;
    if (!argument_scalar(e, call, i, &atom)) {
        return false;
    }
    size_t depth = front_type_depth(array);
    if (atom.name) {
        front_error(e, front_argument_span(call, i), "TYPE ERROR", "%s has to be a literal",
                    argument_text(e, call, i));
        return false;
    }
    if (atom.as.integer < 0 || atom.as.integer >= (int64_t)depth) {
        front_error(e, front_argument_span(call, i), "TYPE ERROR", "%s has no axis %lld",
                    front_type_text(e, array), (long long)atom.as.integer);
        return false;
    }
    *axis = (size_t)atom.as.integer;
    return true;
}

/* One size or a tuple of them. */
static bool argument_sizes(Elaborator *e, const Call *call, size_t i, size_t *count,
                           CoreAtom **sizes)
{
    const Value *given = &call->arguments[i];
    const Type *wanted = front_type_scalar(e, CORE_I64);
    if (given->kind == VALUE_LITERAL && given->literal->kind == FRONT_TUPLE) {
        size_t items = given->literal->as.items.count;
        const Type **types = ARENA_ARRAY(e->c->arena, const Type *, items);
        for (size_t j = 0; j < items; j++) {
            types[j] = wanted;
        }
        wanted = front_type_tuple(e, items, types);
    }
    Value value = front_argument(e, call, i, wanted);
    if (value.kind != VALUE_DATA) {
        return false;
    }
    bool fits = value.type->leaf_count > 0;
    bool is_tuple = value.type->kind == TYPE_TUPLE;
    for (size_t j = 0; is_tuple && j < value.type->count; j++) {
        fits = fits && front_type_is(value.type->items[j], CORE_I64);
    }
    if (!fits || (!is_tuple && !front_type_is(value.type, CORE_I64))) {
        front_mismatch(e, front_argument_span(call, i), argument_text(e, call, i),
                       "i64 or a tuple of them", front_type_text(e, value.type));
        return false;
    }
    *count = value.type->leaf_count;
    *sizes = arena_copy(e->c->arena, value.leaves, *count * sizeof **sizes);
    return true;
}

static const char *result_text(const Call *call)
{
    return call->want.text ? call->want.text : "t";
}

/* ---- making ---------------------------------------------------------------------------------- */

static Value make_iota(Elaborator *e, const Call *call)
{
    CoreAtom n;
    if (!argument_scalar(e, call, 0, &n)) {
        return ERROR_VALUE;
    }
    size_t mark = front_guard(e, front_require_nonnegative(e, &n));
    CoreAtom result = core_let_iota(BUILDER(e), result_text(call), n);
    front_unguard(e, mark);
    return front_value_atom(e, result);
}

/* What the last statement makes lies where the call says. */
static void place_last(Elaborator *e, const Call *call, CoreAtom made)
{
    CoreBuilder *b = BUILDER(e);
    if (call->function->space == CORE_SPACE_AUTO || made.name == NULL || b->stms.count == 0 ||
        !core_stm_binds(b->stms.items[b->stms.count - 1], made.name)) {
        return;
    }
    CoreStm *stm = arena_copy(e->c->arena, b->stms.items[b->stms.count - 1], sizeof *stm);
    stm->exp = core_exp_placed(e->c, stm->exp, CORE_LEVEL_AUTO, call->function->space);
    b->stms.items[b->stms.count - 1] = stm;
}

static Value make_replicate(Elaborator *e, const Call *call)
{
    CoreAtom n;
    bool known = argument_scalar(e, call, 0, &n);
    bool is_array = call->want.type && call->want.type->kind == TYPE_ARRAY;
    Value value = front_argument(e, call, 1, is_array ? call->want.type->row : NULL);
    if (!known || value.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (value.type->leaf_count == 0) {
        return front_mismatch(e, front_argument_span(call, 1), argument_text(e, call, 1), "a value",
                              "()");
    }
    size_t mark = front_guard(e, front_require_nonnegative(e, &n));
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, value.type->leaf_count);
    for (size_t i = 0; i < value.type->leaf_count; i++) {
        leaves[i] = core_let_replicate(BUILDER(e), result_text(call), 1, &n, value.leaves[i]);
        place_last(e, call, leaves[i]);
    }
    front_unguard(e, mark);
    return front_value(front_type_array(e, n, value.type), leaves);
}

static Value make_copy(Elaborator *e, const Call *call)
{
    Value value = front_argument(e, call, 0, call->want.type);
    if (value.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, value.type->leaf_count);
    for (size_t i = 0; i < value.type->leaf_count; i++) {
        CoreAtom leaf = value.leaves[i];
        bool is_array = core_atom_type(leaf).rank > 0;
        leaves[i] =
            is_array ? core_let_copy_in(BUILDER(e), result_text(call), leaf, call->function->space)
                     : leaf;
    }
    return front_value(value.type, leaves);
}

/* ---- tuples ---------------------------------------------------------------------------------- */

static Value make_zip(Elaborator *e, const Call *call)
{
    size_t count;
    Value *inputs;
    CoreAtom width;
    if (!front_inputs(e, call, 0, &count, &inputs, &width)) {
        return ERROR_VALUE;
    }
    const Type **rows = ARENA_ARRAY(e->c->arena, const Type *, count);
    CoreAtom *leaves;
    for (size_t i = 0; i < count; i++) {
        rows[i] = inputs[i].type->row;
    }
    front_all_leaves(e, count, inputs, &leaves);
    return front_value(front_type_array(e, width, front_type_tuple(e, count, rows)), leaves);
}

static Value make_unzip(Elaborator *e, const Call *call)
{
    Value array;
    if (!front_argument_array(e, call, 0, &array)) {
        return ERROR_VALUE;
    }
    const Type *row = array.type->row;
    if (row->kind != TYPE_TUPLE) {
        return front_mismatch(e, front_argument_span(call, 0), argument_text(e, call, 0),
                              "an array of tuples", front_type_text(e, array.type));
    }
    const Type **types = ARENA_ARRAY(e->c->arena, const Type *, row->count);
    for (size_t i = 0; i < row->count; i++) {
        types[i] = front_type_array(e, array.type->size, row->items[i]);
    }
    return front_value(front_type_tuple(e, row->count, types), array.leaves);
}

static Value make_component(Elaborator *e, const Call *call, size_t position)
{
    Value tuple = front_argument(e, call, 0, NULL);
    if (tuple.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (tuple.type->kind != TYPE_TUPLE || position >= tuple.type->count) {
        return front_mismatch(e, front_argument_span(call, 0), argument_text(e, call, 0), "a tuple",
                              front_type_text(e, tuple.type));
    }
    return front_value_item(&tuple, position);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static Value make_length(Elaborator *e, const Call *call)
{
    Value array;
    return front_argument_array(e, call, 0, &array) ? front_value_atom(e, array.type->size)
                                                    : ERROR_VALUE;
}

static Value make_size(Elaborator *e, const Call *call)
{
    Value array;
    size_t axis;
    if (!front_argument_array(e, call, 1, &array) ||
        !argument_axis(e, call, 0, array.type, &axis)) {
        return ERROR_VALUE;
    }
    return front_value_atom(e, front_type_below(array.type, axis)->size);
}

/* ---- rearrangement --------------------------------------------------------------------------- */

/* The first `count` axes permuted. */
static Value permuted(Elaborator *e, const Value *array, size_t count, const int *permutation,
                      const char *text)
{
    CoreAtom *sizes = ARENA_ARRAY(e->c->arena, CoreAtom, count);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, array->type->leaf_count);
    for (size_t i = 0; i < count; i++) {
        sizes[i] = front_type_below(array->type, (size_t)permutation[i])->size;
    }
    for (size_t i = 0; i < array->type->leaf_count; i++) {
        int rank = core_atom_type(array->leaves[i]).rank;
        int *all = ARENA_ARRAY(e->c->arena, int, rank);
        for (int axis = 0; axis < rank; axis++) {
            all[axis] = (size_t)axis < count ? permutation[axis] : axis;
        }
        leaves[i] = core_let_rearrange(BUILDER(e), text, array->leaves[i], all);
    }
    return front_value(front_type_resized(e, array->type, count, count, sizes), leaves);
}

static Value make_transpose(Elaborator *e, const Call *call)
{
    Value array;
    static const int swapped[2] = {1, 0};
    if (!front_argument_array(e, call, 0, &array)) {
        return ERROR_VALUE;
    }
    if (front_type_depth(array.type) < 2) {
        return front_mismatch(e, front_argument_span(call, 0), argument_text(e, call, 0),
                              "an array of arrays", front_type_text(e, array.type));
    }
    return permuted(e, &array, 2, swapped, result_text(call));
}

static Value make_rearrange(Elaborator *e, const Call *call)
{
    Value array;
    size_t count;
    CoreAtom *axes;
    if (!argument_sizes(e, call, 0, &count, &axes) || !front_argument_array(e, call, 1, &array)) {
        return ERROR_VALUE;
    }
    int *permutation = ARENA_ARRAY(e->c->arena, int, count);
    bool *seen = ARENA_ARRAY(e->c->arena, bool, count);
    bool fits = count <= front_type_depth(array.type);
    for (size_t i = 0; i < count && fits; i++) {
        int64_t axis = axes[i].name ? -1 : axes[i].as.integer;
        fits = axis >= 0 && axis < (int64_t)count && !seen[axis];
        if (fits) {
            seen[axis] = true;
            permutation[i] = (int)axis;
        }
    }
    if (!fits) {
        front_error(e, front_argument_span(call, 0), "TYPE ERROR",
                    "%s has to be a permutation of axes of %s", argument_text(e, call, 0),
                    front_type_text(e, array.type));
        return ERROR_VALUE;
    }
    return permuted(e, &array, count, permutation, result_text(call));
}

typedef CoreAtom LeafView(Elaborator *e, const Call *call, size_t axis, CoreAtom leaf,
                          CoreAtom amount);

static CoreAtom rotate_leaf(Elaborator *e, const Call *call, size_t axis, CoreAtom leaf,
                            CoreAtom amount)
{
    return core_let_rotate(BUILDER(e), result_text(call), leaf, (int)axis, amount);
}

static CoreAtom reverse_leaf(Elaborator *e, const Call *call, size_t axis, CoreAtom leaf,
                             CoreAtom amount)
{
    (void)amount;
    return core_let_reverse(BUILDER(e), result_text(call), leaf, (int)axis);
}

/* A view that keeps the type. */
static Value keep_type(Elaborator *e, const Call *call, size_t at, CoreAtom amount, LeafView *view)
{
    Value array;
    size_t axis;
    if (!front_argument_array(e, call, at, &array) ||
        !argument_axis(e, call, 0, array.type, &axis)) {
        return ERROR_VALUE;
    }
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, array.type->leaf_count);
    for (size_t i = 0; i < array.type->leaf_count; i++) {
        leaves[i] = view(e, call, axis, array.leaves[i], amount);
    }
    return front_value(array.type, leaves);
}

static Value make_rotate(Elaborator *e, const Call *call)
{
    CoreAtom amount;
    bool known = argument_scalar(e, call, 1, &amount);
    Value result = keep_type(e, call, 2, known ? amount : core_i64(0), rotate_leaf);
    return known ? result : ERROR_VALUE;
}

/* ---- reshape --------------------------------------------------------------------------------- */

/* The array layers become these sizes, of which the certificates say that they fit. */
static Value reshaped(Elaborator *e, const Value *array, size_t count, const CoreAtom *sizes,
                      const char *text)
{
    size_t depth = front_type_depth(array->type);
    const Type *type = front_type_resized(e, array->type, depth, count, sizes);
    const CoreType *types = front_type_leaves(e, type);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    for (size_t i = 0; i < type->leaf_count; i++) {
        leaves[i] = core_let_reshape(BUILDER(e), text, array->leaves[i], (size_t)types[i].rank,
                                     types[i].sizes);
    }
    return front_value(type, leaves);
}

static CoreAtom elements_of(Elaborator *e, const Type *type)
{
    CoreAtom product = core_i64(1);
    for (; type->kind == TYPE_ARRAY; type = type->row) {
        product = front_binary(e, NULL, CORE_MUL, product, type->size);
    }
    return product;
}

static CoreAtom bounded(Elaborator *e, CoreAtom before, CoreAtom size)
{
    CoreAtom others = front_binary(e, NULL, CORE_MAX, before, core_i64(1));
    CoreAtom most = front_binary(e, NULL, CORE_DIV, core_i64(CORE_MOST_ELEMENTS), others);
    CoreAtom fits = front_binary(e, NULL, CORE_LE, size, most);
    return front_require(e, fits, CORE_LIMIT_ERROR, "too many elements", 0, NULL);
}

static Value make_reshape(Elaborator *e, const Call *call)
{
    Value array;
    size_t count;
    CoreAtom *sizes;
    bool known = argument_sizes(e, call, 0, &count, &sizes);
    if (!front_argument_array(e, call, 1, &array) || !known) {
        return ERROR_VALUE;
    }
    CoreAtom wanted = core_i64(1), given = elements_of(e, array.type);
    CoreAtom *checks = ARENA_ARRAY(e->c->arena, CoreAtom, 2 * count + 1);
    size_t check_count = 0;
    for (size_t i = 0; i < count; i++) {
        checks[check_count++] = front_require_nonnegative(e, &sizes[i]);
        if (i > 0) {
            checks[check_count++] = bounded(e, wanted, sizes[i]);
        }
        wanted = front_binary(e, NULL, CORE_MUL, wanted, sizes[i]);
    }
    checks[check_count++] = front_require_equal(e, wanted, given);
    size_t mark = BUILDER(e)->certificates.count;
    for (size_t i = 0; i < check_count; i++) {
        front_guard(e, checks[i]);
    }
    Value result = reshaped(e, &array, count, sizes, result_text(call));
    front_unguard(e, mark);
    return result;
}

static Value make_flatten(Elaborator *e, const Call *call)
{
    Value array;
    if (!front_argument_array(e, call, 0, &array)) {
        return ERROR_VALUE;
    }
    if (front_type_depth(array.type) == 1) {
        return array;
    }
    CoreAtom elements = elements_of(e, array.type);
    front_assume_nonnegative(e, elements);
    return reshaped(e, &array, 1, &elements, result_text(call));
}

/* ---- pad, cycle, split ----------------------------------------------------------------------- */

/* A type without its array layers, inside tuples too: what fills one. */
static const Type *item_type(Elaborator *e, const Type *type)
{
    type = front_type_below(type, front_type_depth(type));
    if (type->kind != TYPE_TUPLE) {
        return type;
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, type->count);
    for (size_t i = 0; i < type->count; i++) {
        items[i] = item_type(e, type->items[i]);
    }
    return front_type_tuple(e, type->count, items);
}

static bool argument_fill(Elaborator *e, const Call *call, size_t i, const Type *array, Value *fill)
{
    const Type *item = item_type(e, array);
    *fill = front_argument(e, call, i, item);
    if (fill->kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_alike(item, fill->type)) {
        front_mismatch(e, front_argument_span(call, i), argument_text(e, call, i),
                       front_type_text(e, item), front_type_text(e, fill->type));
        return false;
    }
    return true;
}

static Value make_pad(Elaborator *e, const Call *call)
{
    Value array, fill;
    CoreAtom before, after;
    size_t axis;
    bool known = argument_scalar(e, call, 1, &before);
    known = argument_scalar(e, call, 2, &after) && known;
    if (!front_argument_array(e, call, 4, &array) ||
        !argument_fill(e, call, 3, array.type, &fill) ||
        !argument_axis(e, call, 0, array.type, &axis) || !known) {
        return ERROR_VALUE;
    }
    CoreAtom before_check = front_require_nonnegative(e, &before);
    CoreAtom after_check = front_require_nonnegative(e, &after);
    size_t depth = front_type_depth(array.type);
    CoreAtom *sizes = ARENA_ARRAY(e->c->arena, CoreAtom, depth);
    for (size_t i = 0; i < depth; i++) {
        sizes[i] = front_type_below(array.type, i)->size;
    }
    sizes[axis] = front_binary(e, NULL, CORE_ADD, sizes[axis],
                               front_binary(e, NULL, CORE_ADD, before, after));
    front_assume_nonnegative(e, sizes[axis]);
    const Type *type = front_type_resized(e, array.type, depth, depth, sizes);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    size_t mark = front_guard(e, before_check);
    front_guard(e, after_check);
    for (size_t i = 0; i < type->leaf_count; i++) {
        leaves[i] = core_let_pad(BUILDER(e), result_text(call), array.leaves[i], (int)axis,
                                 sizes[axis], before, after, fill.leaves[i]);
    }
    front_unguard(e, mark);
    return front_value(type, leaves);
}

static Value make_cycle(Elaborator *e, const Call *call)
{
    Value array, fill;
    CoreAtom count;
    bool known = argument_scalar(e, call, 0, &count);
    if (!front_argument_array(e, call, 2, &array) ||
        !argument_fill(e, call, 1, array.type, &fill) || !known) {
        return ERROR_VALUE;
    }
    for (size_t i = 0; i < array.type->leaf_count; i++) {
        if (core_atom_type(array.leaves[i]).rank != 1) {
            return front_mismatch(e, front_argument_span(call, 2), argument_text(e, call, 2),
                                  "an array of scalars", front_type_text(e, array.type));
        }
    }
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, array.type->leaf_count);
    size_t mark = front_guard(e, front_require_nonnegative(e, &count));
    for (size_t i = 0; i < array.type->leaf_count; i++) {
        leaves[i] =
            core_let_cycle(BUILDER(e), result_text(call), array.leaves[i], count, fill.leaves[i]);
    }
    front_unguard(e, mark);
    return front_value(front_type_array(e, count, array.type->row), leaves);
}

static Value make_split(Elaborator *e, const Call *call)
{
    Value array, halves[2];
    CoreAtom k;
    bool known = argument_scalar(e, call, 0, &k);
    if (!front_argument_array(e, call, 1, &array) || !known) {
        return ERROR_VALUE;
    }
    CoreAtom size = array.type->size, pair[2] = {k, size};
    CoreAtom low = front_binary(e, NULL, CORE_LE, core_i64(0), k);
    CoreAtom high = front_binary(e, NULL, CORE_LE, k, size);
    CoreAtom inside = front_binary(e, NULL, CORE_AND, low, high);
    CoreAtom check = front_require(e, inside, CORE_INDEX_ERROR, "{} of {}", 2, pair);
    CoreAtom rest = front_binary(e, NULL, CORE_SUB, size, k);
    if (!k.name && k.as.integer < 0) {
        k = core_let_atom(BUILDER(e), "n", k);
    }
    if (!rest.name && rest.as.integer < 0) {
        rest = core_let_atom(BUILDER(e), "n", rest);
    }
    front_assume_nonnegative(e, k);
    front_assume_nonnegative(e, rest);
    size_t mark = front_guard(e, check);
    halves[0] = front_rows(e, array, core_i64(0), k, result_text(call));
    halves[1] = front_rows(e, array, k, rest, result_text(call));
    front_unguard(e, mark);
    return front_value_tuple(e, 2, halves);
}

static Value make_concat(Elaborator *e, const Call *call)
{
    size_t axis;
    Value *arrays = ARENA_ARRAY(e->c->arena, Value, call->count - 1);
    const Type *type = NULL;
    for (size_t i = 1; i < call->count; i++) {
        arrays[i - 1] = call->arguments[i];
        type = arrays[i - 1].kind == VALUE_DATA ? arrays[i - 1].type : type;
    }
    if (!type) {
        if (!front_argument_array(e, call, 1, &arrays[0])) {
            return ERROR_VALUE;
        }
        type = arrays[0].type;
    }
    if (!argument_axis(e, call, 0, type, &axis)) {
        return ERROR_VALUE;
    }
    return front_concat(e, axis, call->count - 1, arrays, call->want.text, call->span);
}

/* ---- all words ------------------------------------------------------------------------------- */

Value front_apply_builtin(Elaborator *e, const Call *call)
{
    switch (call->function->builtin) {
    case BUILTIN_MAP:
    case BUILTIN_REDUCE:
    case BUILTIN_REDUCE_COMM:
    case BUILTIN_SCAN:
    case BUILTIN_REDOMAP:
    case BUILTIN_REDOMAP_COMM:
    case BUILTIN_FILTER:
    case BUILTIN_SCATTER:
    case BUILTIN_HIST: return front_soac(e, call);
    case BUILTIN_STREAM_MAP:
    case BUILTIN_STREAM_MAP_COMM:
    case BUILTIN_STREAM_RED:
    case BUILTIN_STREAM_RED_COMM:
    case BUILTIN_STREAM_SEQ: return front_stream(e, call);
    case BUILTIN_ZIP: return make_zip(e, call);
    case BUILTIN_UNZIP: return make_unzip(e, call);
    case BUILTIN_IOTA: return make_iota(e, call);
    case BUILTIN_REPLICATE: return make_replicate(e, call);
    case BUILTIN_COPY: return make_copy(e, call);
    case BUILTIN_LENGTH: return make_length(e, call);
    case BUILTIN_SIZE: return make_size(e, call);
    case BUILTIN_TRANSPOSE: return make_transpose(e, call);
    case BUILTIN_REARRANGE: return make_rearrange(e, call);
    case BUILTIN_RESHAPE: return make_reshape(e, call);
    case BUILTIN_FLATTEN: return make_flatten(e, call);
    case BUILTIN_ROTATE: return make_rotate(e, call);
    case BUILTIN_REVERSE: return keep_type(e, call, 1, core_i64(0), reverse_leaf);
    case BUILTIN_CONCAT: return make_concat(e, call);
    case BUILTIN_PAD: return make_pad(e, call);
    case BUILTIN_CYCLE: return make_cycle(e, call);
    case BUILTIN_SPLIT: return make_split(e, call);
    case BUILTIN_FIRST: return make_component(e, call, 0);
    case BUILTIN_SECOND: return make_component(e, call, 1);
    case BUILTIN_COUNT: break;
    }
    internal_error(e->c, "built-in word %d", (int)call->function->builtin);
}
