/* f⌺w: f of the windows of w items (an item for each axis) around the items of an array.

       f⌺3 3 m               ==>  f⍤2 of the array with the shape (⍴m),3 3
       f⌺(2 2⍴3 3 2 2) m     ==>  the same of every second window along both axes

   The first row of w has the sizes, a second one the steps. The window of an odd size is around an
   item: there are as many as items. That of an even size is around two neighbours: there is one
   less. Beyond the borders is fill. Where f is a dfn that has ⍺, that is how many items of the
   window are fill along each axis: negative where they are at the end. The windows are gathered by
   one index vector an axis, of the padded array. */
#include "apl/elaborate/internal.h"

typedef struct Axis {
    int64_t size, step;
    int64_t fill;   /* items before and after the array */
    Value *length;  /* of the array */
    Value *starts;  /* of the windows in the padded array, from 1 */
    int64_t extent; /* how many windows, or -1 */
} Axis;

static Value *scalar_call(Elaboration *e, AplPrimitive primitive, Value *left, Value *right,
                          Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

/* As many fill elements before and after the axis. */
static Value *pad(Elaboration *e, int64_t axis, int64_t count, Value *value, Span span)
{
    if (count == 0) {
        return value;
    }
    for (int i = 0; i < 2; i++) {
        Value *more = elab_extent(e, value, axis, span);
        more = scalar_call(e, APL_PLUS, more, elab_int(e, count, span), span);
        more = i == 0 ? scalar_call(e, APL_MINUS, NULL, more, span) : more;
        value = elab_take(e, axis, more, value, span);
    }
    return value;
}

static void find_starts(Elaboration *e, Axis *axis, int64_t length, Span span)
{
    Value *count = axis->length;
    axis->extent = length;
    if (axis->size % 2 == 0) {
        count = scalar_call(e, APL_MINUS, count, elab_int(e, 1, span), span);
        count = scalar_call(e, APL_CEILING, count, elab_int(e, 0, span), span);
        axis->extent = length > 0 ? length - 1 : length;
    }
    if (axis->extent >= 0) {
        axis->extent = (axis->extent + axis->step - 1) / axis->step;
    }
    if (axis->step == 1) {
        axis->starts = ELAB_VALUE(e, TAIL_OP_IOTA, span, count->exp);
    } else {
        Value *step = elab_int(e, axis->step, span);
        axis->starts = elab_apply_prelude(e, "∆starts", step, count, span);
    }
    elab_set_extents(axis->starts, &axis->extent);
}

/* starts∘.+¯1+⍳size: for each window the positions of its items. */
static Value *window_positions(Elaboration *e, const Axis *axis, Span span)
{
    int64_t *offsets = ARENA_ARRAY(e->c->arena, int64_t, axis->size);
    for (int64_t i = 0; i < axis->size; i++) {
        offsets[i] = i;
    }
    Value *plus = elab_function(e, elab_primitive(e, APL_PLUS, span));
    Value *known = elab_known(e, TAIL_INT, axis->size, offsets, span);
    return elab_apply_prelude_operator(e, "∆outer", plus, NULL, axis->starts, known, span);
}

/* ---- sizes and steps ------------------------------------------------------------------------- */

static void check_size(Elaboration *e, const Axis *axis, Span span)
{
    if (axis->size < 1 || axis->size > EXPANSION_LIMIT) {
        elab_fail(e, span, axis->size < 1 ? "DOMAIN ERROR" : "LIMIT ERROR", "a window of %s items",
                  elab_digits(e, axis->size));
    }
    if (axis->step < 1) {
        elab_fail(e, span, "DOMAIN ERROR", "windows in steps of %s", elab_digits(e, axis->step));
    }
    elab_check_length(e, axis->step, span);
}

/* A vector of sizes, or a matrix of sizes and steps. */
static Axis *read_axes(Elaboration *e, Value *sizes, Value *value, int64_t *count, Span span)
{
    sizes = elab_as_int(e, elab_array_only(e, sizes, sizes->span, "a window"), sizes->span,
                        "window sizes");
    const int64_t *numbers = sizes->rank < 2 ? sizes->known : sizes->contents;
    if (sizes->rank > 2 || numbers == NULL || (sizes->rank == 2 && sizes->extents[0] != 2)) {
        elab_fail(e, sizes->span, "RANK ERROR",
                  "the right operand of ⌺ is a vector of window sizes, or a matrix of two rows,"
                  " sizes and steps, known at compile time");
    }
    *count = sizes->rank == 0 ? 1 : sizes->extents[sizes->rank - 1];
    if (*count > value->rank) {
        elab_fail(e, sizes->span, "LENGTH ERROR", "%lld window sizes for %lld axes",
                  (long long)*count, (long long)value->rank);
    }
    Axis *axes = ARENA_ARRAY(e->c->arena, Axis, *count + 1);
    for (int64_t i = 0; i < *count; i++) {
        axes[i].size = numbers[i];
        axes[i].step = sizes->rank == 2 ? numbers[*count + i] : 1;
        axes[i].fill = (axes[i].size - 1) / 2;
        check_size(e, &axes[i], sizes->span);
        axes[i].length = elab_extent(e, value, i, span);
        find_starts(e, &axes[i], value->extents[i], span);
    }
    return axes;
}

/* ---- ⍺: how much of a window is fill --------------------------------------------------------- */

/* An array of the shape of the windows' frame with a vector for each. */
static Value *paddings(Elaboration *e, const Axis *axes, int64_t count, Span span)
{
    Value **extents = ARENA_ARRAY(e->c->arena, Value *, count + 1), *all = NULL;
    for (int64_t axis = 0; axis < count; axis++) {
        Value *facts[3] = {elab_int(e, axes[axis].size, span), elab_int(e, axes[axis].fill, span),
                           axes[axis].length};
        Value *vector = elab_apply_prelude(e, "∆padding", elab_vector(e, 3, facts, span),
                                           axes[axis].starts, span);
        size_t others = 0;
        for (int64_t i = 0; i < count; i++) {
            if (i != axis) {
                extents[others++] = elab_extent(e, axes[i].starts, 0, span);
            }
        }
        extents[others] = elab_extent(e, axes[axis].starts, 0, span);
        Value *repeated =
            elab_reshape(e, elab_vector(e, (size_t)count, extents, span), vector, span);
        repeated = elab_axis_from_last(e, axis, repeated, span);
        Value *one = elab_int(e, 1, span);
        Value *shape = elab_catenate(e, 0, elab_shape(e, repeated, span), one, span);
        repeated = elab_reshape(e, shape, repeated, span);
        all = axis == 0 ? repeated : elab_catenate(e, count, all, repeated, span);
    }
    return all;
}

static bool wants_padding(const Function *function)
{
    return function->kind == FUNCTION_CLOSURE && function->dfn->as.dfn.uses_alpha;
}

/* ---- ⌺ --------------------------------------------------------------------------------------- */

Value *elab_stencil(Elaboration *e, Function *function, Value *sizes, Value *value, Span span)
{
    elab_array_only(e, value, span, "⌺ (stencil)");
    int64_t count, rank = value->rank;
    Axis *axes = read_axes(e, sizes, value, &count, span);
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, rank + 1);
    Value *padded = value;
    for (int64_t i = 0; i < count; i++) {
        positions[i] = window_positions(e, &axes[i], span);
        padded = pad(e, i, axes[i].fill, padded, span);
    }
    Value *windows = elab_index(e, padded, (size_t)rank, positions, 1, span);
    /* n1 w1 n2 w2 rest  to  n1 n2 w1 w2 rest */
    int64_t *permutation = ARENA_ARRAY(e->c->arena, int64_t, windows->rank + 1);
    for (int64_t i = 0; i < windows->rank; i++) {
        permutation[i] = i >= 2 * count ? i + 1 : i % 2 == 0 ? i / 2 + 1 : count + i / 2 + 1;
    }
    windows = elab_transpose(e, permutation, windows, span);
    Value *left = wants_padding(function) ? paddings(e, axes, count, span) : NULL;
    Value *ranks = elab_known(e, TAIL_INT, 2, (int64_t[]){1, rank}, span);
    return left == NULL ? elab_rank(e, function, elab_int(e, rank, span), NULL, windows, span)
                        : elab_rank(e, function, ranks, left, windows, span);
}
