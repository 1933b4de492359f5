/* Reductions of windows: n f/v.

       3 f/v       ==>  v[1..] f v[2..] f v[3..]        slices, one beside the other, for small n
       n f/v       ==>  for each start a reduction of n items (∆windows of the prelude); of functions that are
                        associative, scans of blocks of n items (∆longWindows); sums of whole numbers are
                        differences of sums (∆sumWindows)
       2 ,/1 2 3   ==>  (1 2)(2 3)                      a function that does not give scalars

   A negative n reduces the windows reversed; 0 f/v is an identity element before, between and after
   the items. n may be one more than there are items: then there is no window. */
#include "apl/elaborate/internal.h"

/* Windows up to the first size are slices; up to the second, their sums are taken one by one, in one pass. */
enum { SLICE_LIMIT = 8, SUM_LIMIT = 16 };

typedef struct Windows {
    Function *function;
    int64_t axis;
    Value *left;  /* n */
    Value *value; /* what the windows are of */
    Value *more;  /* one more than there are items */
    Span span;
} Windows;

static Value *scalar_call(Elaboration *e, AplPrimitive primitive, Value *left, Value *right,
                          Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

/* An identity element for each place. */
static Value *empty_windows(Elaboration *e, const Windows *w)
{
    Value *none = elab_empty(e, w->value->base, w->span);
    Value *neutral = elab_reduce(e, w->function, 0, none, w->span);
    Value **extents = ARENA_ARRAY(e->c->arena, Value *, w->value->rank);
    for (int64_t i = 0; i < w->value->rank; i++) {
        extents[i] = i == w->axis ? w->more : elab_extent(e, w->value, i, w->span);
    }
    Value *shape = elab_vector(e, (size_t)w->value->rank, extents, w->span);
    return elab_reshape(e, shape, neutral, w->span);
}

/* NULL where the function does not give scalars. */
static Value *slices(Elaboration *e, const Windows *w, int64_t n)
{
    int64_t size = n < 0 ? -n : n;
    Value *result = NULL;
    for (int64_t k = size - 1; k >= 0; k--) {
        int64_t before = n > 0 ? k : size - 1 - k;
        Value *slice = elab_drop(e, w->axis, elab_int(e, before, w->span), w->value, w->span);
        slice = elab_drop(e, w->axis, elab_int(e, before - (size - 1), w->span), slice, w->span);
        result = k == size - 1
                     ? slice
                     : elab_elementwise(e, elab_apply_item, w->function, slice, result, w->span);
        if (result == NULL) {
            return NULL;
        }
    }
    return result;
}

/* Windows of a list of known length, one by one. */
static Value *unrolled(Elaboration *e, const Windows *w, int64_t n)
{
    int64_t length = w->value->rank == 1 ? w->value->extents[0] : -1;
    int64_t size = n < 0 ? -n : n, count = length - size + 1;
    if (length < 0 || length > EXPANSION_LIMIT || size == 0) {
        elab_nonce(e, w->span,
                   "a windowed reduction that gives nested items, of %s or of more than %d items,"
                   " is",
                   size == 0 ? "no items" : "a number of items that only run time knows",
                   EXPANSION_LIMIT);
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t start = 0; start < count; start++) {
        int64_t last = n > 0 ? start + size - 1 : start, step = n > 0 ? -1 : 1;
        items[start] = elab_item(e, w->value, last, w->span);
        for (int64_t k = 1; k < size; k++) {
            Value *item = elab_item(e, w->value, last + k * step, w->span);
            items[start] = elab_apply(e, w->function, item, items[start], w->span);
        }
    }
    if (count == 0) {
        items[0] = elab_item_or_prototype(e, w->value, w->span);
    }
    return elab_tuple(e, 1, &count, (size_t)count, items, w->span);
}

/* Associative and commutative on these items, with an identity element. Sums and products of reals are in
   any order, as in reductions. */
static bool is_associative(const Function *function, TailBaseKind base)
{
    if (function->kind != FUNCTION_PRIMITIVE || base == TAIL_CHAR) {
        return false;
    }
    switch ((int)function->primitive) { /* the others are not, or have no such element */
    case APL_PLUS: return base != TAIL_BOOL;
    case APL_TIMES:
    case APL_CEILING:
    case APL_FLOOR: return true;
    case APL_AND:
    case APL_OR:
    case APL_EQUAL:
    case APL_NOT_EQUAL: return base == TAIL_BOOL;
    }
    return false;
}

/* n f/ of vectors, for many items. */
static Function *of_vectors(Elaboration *e, const Windows *w)
{
    TailBaseKind base = w->value->base;
    bool is_sum = w->function->kind == FUNCTION_PRIMITIVE && w->function->primitive == APL_PLUS;
    int64_t n;
    bool is_short = elab_constant(w->left, &n) && n >= -SUM_LIMIT && n <= SUM_LIMIT;
    if (is_sum && !is_short && (base == TAIL_BOOL || base == TAIL_INT)) {
        return elab_prelude(e, "∆sumWindows")->function;
    }
    Value *function = elab_function(e, w->function);
    return is_associative(w->function, base)
               ? elab_prelude_operator(e, "∆longWindows", function,
                                       elab_identity(e, w->function, base, w->span))
               : elab_prelude_operator(e, "∆windows", function, NULL);
}

/* Each vector along the axis by itself. */
static Value *rows(Elaboration *e, const Windows *w)
{
    Function *windows = of_vectors(e, w);
    if (w->value->rank == 1) {
        return elab_apply(e, windows, w->left, w->value, w->span);
    }
    Value *ranks = elab_known(e, TAIL_INT, 2, (int64_t[]){0, 1}, w->span);
    Value *last = elab_axis_to_last(e, w->axis, w->value, w->span);
    Value *result = elab_rank(e, windows, ranks, w->left, last, w->span);
    return elab_axis_from_last(e, w->axis, result, w->span);
}

static Value *of_tuple(Elaboration *e, Windows *w)
{
    int64_t n, length = (int64_t)w->value->count;
    if (w->value->rank != 1 || !elab_constant(w->left, &n) || elab_takes_tuples(w->function)) {
        elab_nonce(e, w->span, "a windowed reduction of these nested items is");
    }
    if (n > length + 1 || n < -length - 1) {
        elab_fail(e, w->span, "LENGTH ERROR", "%s and %lld", elab_digits(e, n),
                  (long long)length + 1);
    }
    return unrolled(e, w, n);
}

Value *elab_windows(Elaboration *e, Function *function, int64_t axis, Value *left, Value *value,
                    Span span)
{
    Windows w = {.function = function, .axis = axis, .span = span};
    w.left = elab_as_count(e, left, left->span, "window sizes");
    if (value->kind == VALUE_TUPLE) {
        w.value =
            value->rank > 0 ? value : elab_record(e, 1, (int64_t[]){1}, 1, value->items, span);
        return of_tuple(e, &w);
    }
    w.value = value->rank == 0 ? elab_ravel(e, value, span) : value;
    Value *length = elab_extent(e, w.value, axis, span);
    int64_t n;
    bool known = elab_constant(w.left, &n);
    Value *number = w.left;
    if (!known) { /* the least integer has no magnitude */
        int64_t least = e->c->options.int_bits == 32 ? -INT32_MAX : -INT64_MAX;
        number = scalar_call(e, APL_CEILING, w.left, elab_int(e, least, span), span);
    }
    Value *minus = scalar_call(e, APL_MINUS, NULL, number, span);
    Value *size = scalar_call(e, APL_CEILING, number, minus, span);
    w.more = scalar_call(e, APL_PLUS, length, elab_int(e, 1, span), span);
    Value *most = scalar_call(e, APL_CEILING, size, w.more, span);
    w.value = elab_same(e, most, w.more, w.value, span);
    if (!known) {
        return rows(e, &w);
    }
    elab_check_length(e, n, left->span);
    if (n == 0) {
        return empty_windows(e, &w);
    }
    bool small = n >= -SLICE_LIMIT && n <= SLICE_LIMIT;
    Value *result = small ? slices(e, &w, n) : rows(e, &w);
    return result == NULL ? unrolled(e, &w, n) : result;
}
