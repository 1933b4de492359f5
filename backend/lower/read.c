/* Reading an element of a view, and writing one: the chain of readers that views.c made is walked outside in, and what
   is left is the arithmetic of one index ([DPIA fig. 6c]).

       read(rotate 0 1 (reverse 0 a), i)   ==>   let t = i + 1
                                                 let u = t >= n ? t - n : t
                                                 a[n - 1 + u * -1]

   Index arithmetic is shared by declaring scalars (it touches nothing, so declaring it ahead of a
   condition is harmless); loads stay inside the selections of concat, pad and cycle, so that only
   the chosen side is read. Divisions by extents use extents of at least 1, for the same reason. */
#include "backend/lower/indices.h"

static const KernelExp *share(Lower *L, const KernelExp *index)
{
    return lower_let(L, "at", index);
}

static const KernelExp *definition_of(Lower *L, const KernelExp *exp)
{
    const KernelExp *definition =
        exp->kind == KERNEL_VARIABLE ? pointer_map_get(&L->definitions, exp->as.variable) : NULL;
    return definition != NULL ? definition : exp;
}

static bool is_binary(const KernelExp *exp, CoreOperator op)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == op;
}

/* extent * inner == outer, as it is written. */
static bool is_stride_of(Lower *L, const KernelExp *outer, const KernelExp *extent,
                         const KernelExp *inner)
{
    const KernelExp *product = definition_of(L, outer);
    return kernel_is_i64(inner, 1)
               ? same_exp(outer, extent)
               : is_binary(product, CORE_MUL) && ((same_exp(product->as.scalar.x, extent) &&
                                                   same_exp(product->as.scalar.y, inner)) ||
                                                  (same_exp(product->as.scalar.x, inner) &&
                                                   same_exp(product->as.scalar.y, extent)));
}

/* x / n and x % n, as indices of two axes of which the inner one has n elements and lies in the outer one:
   x, counted in elements of the inner one. Else NULL. */
static const KernelExp *joined(Lower *L, const KernelExp *indices[2],
                               const KernelExp *const strides[2])
{
    const KernelExp *quotient = definition_of(L, indices[0]), *rest = definition_of(L, indices[1]);
    bool are_one = is_binary(quotient, CORE_DIV) && is_binary(rest, CORE_MOD) &&
                   same_exp(quotient->as.scalar.x, rest->as.scalar.x) &&
                   same_exp(quotient->as.scalar.y, rest->as.scalar.y) &&
                   is_stride_of(L, strides[0], rest->as.scalar.y, strides[1]);
    return are_one ? rest->as.scalar.x : NULL;
}

static const KernelExp *read_stored(Lower *L, const Reader *reader, KernelExps indices)
{
    if (reader->items != NULL && reader->rank == 1 && indices[0]->kind == KERNEL_CONSTANT) {
        int64_t at = indices[0]->as.constant.as.integer;
        if (at >= 0 && (uint64_t)at < reader->item_count) {
            return reader->items[at];
        }
    }
    const KernelExp *index = reader->offset, *at = reader->rank > 0 ? indices[0] : NULL;
    for (int k = 0; k < reader->rank; k++) {
        const KernelExp *next = k + 1 < reader->rank ? indices[k + 1] : NULL;
        const KernelExp *pair[2] = {at, next};
        const KernelExp *both = next == NULL ? NULL : joined(L, pair, reader->strides + k);
        index = both != NULL ? index : add(L, index, mul(L, at, reader->strides[k]));
        at = both != NULL ? both : next;
    }
    return kernel_load(L->c, reader->buffer, index);
}

static const KernelExp *read_literal(Lower *L, const Reader *reader, const KernelExp *index)
{
    if (index->kind == KERNEL_CONSTANT) {
        int64_t at = index->as.constant.as.integer;
        bool inside = at >= 0 && (uint64_t)at < reader->item_count;
        return inside ? reader->items[at] : lower_zero(L, reader->prim);
    }
    if (reader->item_count == 0) {
        return lower_zero(L, reader->prim);
    }
    index = share(L, index);
    const KernelExp *value = reader->items[reader->item_count - 1];
    for (size_t i = reader->item_count - 1; i-- > 0;) {
        const KernelExp *here = kernel_binary(L->c, CORE_EQ, index, kernel_i64(L->c, (int64_t)i));
        value = kernel_select(L->c, here, reader->items[i], value);
    }
    return value;
}

/* Row-major number of `indices` within axes first .. last-1 of the shape. */
static const KernelExp *flatten(Lower *L, KernelExps shape, KernelExps indices, int first, int last)
{
    const KernelExp *number = kernel_i64(L->c, 0);
    for (int k = first; k < last; k++) {
        number = add(L, mul(L, number, shape[k]), indices[k]);
    }
    return number;
}

/* Extents of 1 on either side are skipped and equal axes at both ends pass through; only what is
   left between goes through a flat number. */
static KernelExps inside_reshape(Lower *L, const Reader *reader, KernelExps indices)
{
    const Reader *child = reader->child;
    const KernelExp **inner = new_exps(L, (size_t)child->rank);
    int outer_first = 0, outer_last = reader->rank, first = 0, last = child->rank;
    while (outer_first < outer_last && first < last &&
           same_exp(reader->shape[outer_first], child->shape[first])) {
        inner[first++] = indices[outer_first++];
    }
    for (;;) {
        if (outer_first < outer_last && kernel_is_i64(reader->shape[outer_last - 1], 1)) {
            outer_last--;
        } else if (first < last && kernel_is_i64(child->shape[last - 1], 1)) {
            inner[--last] = kernel_i64(L->c, 0);
        } else if (outer_first < outer_last && first < last &&
                   same_exp(reader->shape[outer_last - 1], child->shape[last - 1])) {
            inner[--last] = indices[--outer_last];
        } else {
            break;
        }
    }
    const KernelExp *number = flatten(L, reader->shape, indices, outer_first, outer_last);
    for (int k = last - 1; k > first; k--) {
        number = share(L, number);
        inner[k] = share(L, kernel_modulo(L->c, number, reader->divisors[k]));
        number = kernel_divide(L->c, number, reader->divisors[k]);
    }
    if (first < last) {
        inner[first] = share(L, number);
    }
    return inner;
}

static KernelExps inside_slice(Lower *L, const Reader *reader, KernelExps indices)
{
    const Reader *child = reader->child;
    const KernelExp **inner = new_exps(L, (size_t)child->rank);
    int axis = 0;
    for (int k = 0; k < child->rank; k++) {
        inner[k] = reader->offsets[k];
        if (!reader->fixed[k]) {
            inner[k] = share(L, add(L, inner[k], mul(L, indices[axis], reader->strides[k])));
            axis++;
        }
    }
    return inner;
}

static KernelExps with_axis(Lower *L, const Reader *child, KernelExps indices, int axis,
                            const KernelExp *index)
{
    const KernelExp **inner = new_exps(L, (size_t)child->rank);
    for (int k = 0; k < child->rank; k++) {
        inner[k] = k == axis ? share(L, index) : indices[k];
    }
    return inner;
}

static const KernelExp *read_concat(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *index = share(L, indices[reader->axis]);
    const KernelExp *value = NULL;
    for (size_t i = reader->child_count; i-- > 0;) {
        const Reader *child = reader->children[i];
        const KernelExp *at = sub(L, index, reader->offsets[i]);
        const KernelExp *here =
            lower_read(L, child, with_axis(L, child, indices, reader->axis, at));
        if (value == NULL) {
            value = here;
        } else {
            const KernelExp *before = kernel_binary(L->c, CORE_LT, index, reader->offsets[i + 1]);
            value = kernel_select(L->c, before, here, value);
        }
    }
    return value;
}

static KernelExps inside_rotate(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *extent = reader->shape[reader->axis], *amount = reader->amount;
    bool known = amount->kind == KERNEL_CONSTANT;
    int64_t places = known ? amount->as.constant.as.integer : 0;
    const KernelExp *index = indices[reader->axis];
    const KernelExp *at =
        share(L, places < 0 ? sub(L, index, kernel_i64(L->c, -places)) : add(L, index, amount));
    bool far = (places < -1 || places > 1) && extent->kind != KERNEL_CONSTANT;
    const KernelExp *wraps = places < 0 ? kernel_binary(L->c, CORE_LT, at, kernel_i64(L->c, 0))
                                        : kernel_binary(L->c, CORE_GE, at, extent);
    const KernelExp *round = far          ? kernel_binary(L->c, CORE_MOD, at, extent)
                             : places < 0 ? add(L, at, extent)
                                          : sub(L, at, extent);
    return with_axis(L, reader->child, indices, reader->axis,
                     kernel_select(L->c, wraps, round, at));
}

static KernelExps inside_reverse(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *last = sub(L, reader->shape[reader->axis], kernel_i64(L->c, 1));
    return with_axis(L, reader->child, indices, reader->axis, sub(L, last, indices[reader->axis]));
}

static KernelExps inside_rearrange(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp **inner = new_exps(L, (size_t)reader->rank);
    for (int k = 0; k < reader->rank; k++) {
        inner[reader->permutation[k]] = indices[k];
    }
    return inner;
}

/* Of a pad: of its array, where *inside. */
static KernelExps inside_pad(Lower *L, const Reader *reader, KernelExps indices,
                             const KernelExp **inside)
{
    const KernelExp *at = share(L, sub(L, indices[reader->axis], reader->amount));
    *inside = kernel_binary(L->c, CORE_AND, kernel_binary(L->c, CORE_GE, at, kernel_i64(L->c, 0)),
                            kernel_binary(L->c, CORE_LT, at, reader->child->shape[reader->axis]));
    return with_axis(L, reader->child, indices, reader->axis, at);
}

static const KernelExp *read_pad(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *inside;
    KernelExps inner = inside_pad(L, reader, indices, &inside);
    return kernel_select(L->c, inside, lower_read(L, reader->child, inner), reader->fill);
}

/* Indices of the array that a view of one array is of. */
static KernelExps inside_view(Lower *L, const Reader *reader, KernelExps indices)
{
    switch ((int)reader->kind) { /* others have no array, several, or not always an element of it */
    case READER_REARRANGE: return inside_rearrange(L, reader, indices);
    case READER_RESHAPE: return inside_reshape(L, reader, indices);
    case READER_ROTATE: return inside_rotate(L, reader, indices);
    case READER_REVERSE: return inside_reverse(L, reader, indices);
    case READER_SLICE: return inside_slice(L, reader, indices);
    }
    internal_error(L->c, "a reader that is no view of one array");
}

/* Before the array's end there is no remainder to take, and to divide takes long: a Fourier transform of 2^22 numbers
   took 1.6 ms on an H200 with remainders, 1.15 without. Loops of sequential programs are split where the array ends
   (backend/split/). */
static const KernelExp *read_cycle(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *at = kernel_modulo(L->c, indices[0], reader->amount);
    if (reader->amount->kind != KERNEL_CONSTANT) {
        const KernelExp *before = kernel_binary(L->c, CORE_LT, indices[0], reader->amount);
        at = kernel_select(L->c, before, indices[0], at);
    }
    const KernelExp *empty =
        kernel_binary(L->c, CORE_EQ, reader->child->shape[0], kernel_i64(L->c, 0));
    return kernel_select(L->c, empty, reader->fill,
                         lower_read(L, reader->child, with_axis(L, reader->child, indices, 0, at)));
}

static const KernelExp *read_unguarded(Lower *L, const Reader *reader, KernelExps indices)
{
    switch (reader->kind) {
    case READER_STORED: return read_stored(L, reader, indices);
    case READER_IOTA: return indices[0];
    case READER_REPLICATE:
        if (reader->child == NULL) {
            return reader->fill;
        }
        return lower_read(L, reader->child, indices + (reader->rank - reader->child->rank));
    case READER_LITERAL: return read_literal(L, reader, indices[0]);
    case READER_CYCLE: return read_cycle(L, reader, indices);
    case READER_CONCAT: return read_concat(L, reader, indices);
    case READER_PAD: return read_pad(L, reader, indices);
    case READER_REARRANGE:
    case READER_RESHAPE:
    case READER_ROTATE:
    case READER_REVERSE:
    case READER_SLICE: return lower_read(L, reader->child, inside_view(L, reader, indices));
    }
    return NULL;
}

const KernelExp *lower_read(Lower *L, const Reader *reader, KernelExps indices)
{
    const KernelExp *value = read_unguarded(L, reader, indices);
    if (reader->guard == NULL) {
        return value;
    }
    return kernel_select(L->c, reader->guard, value, lower_zero(L, reader->prim));
}

static void write_stored(Lower *L, const Reader *place, KernelExps indices, const KernelExp *value)
{
    const KernelExp *index = place->offset;
    for (int k = 0; k < place->rank; k++) {
        index = add(L, index, mul(L, indices[k], place->strides[k]));
    }
    kernel_store(L->b, place->buffer, index, value);
}

/* What a pad shows beside its array has no place. */
static void write_pad(Lower *L, const Reader *place, KernelExps indices, const KernelExp *value)
{
    LowerLoop block;
    const KernelExp *inside;
    KernelExps inner = inside_pad(L, place, indices, &inside);
    if (inside->kind == KERNEL_CONSTANT) {
        if (inside->as.constant.as.integer != 0) {
            lower_write(L, place->child, inner, value);
        }
        return;
    }
    lower_block_begin(L, &block);
    lower_write(L, place->child, inner, value);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, inside, store, (KernelBlock){0});
}

void lower_write(Lower *L, const Reader *place, KernelExps indices, const KernelExp *value)
{
    if (place->kind == READER_STORED) {
        write_stored(L, place, indices, value);
    } else if (place->kind == READER_PAD) {
        write_pad(L, place, indices, value);
    } else {
        lower_write(L, place->child, inside_view(L, place, indices), value);
    }
}
