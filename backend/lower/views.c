/* Readers: what is left of a view when code is made is the arithmetic of one index.

   A stored array is a buffer, an offset and a stride an axis; indexing, slicing, reversing and
   transposing it only change those numbers. Anything else is a node over another reader, and
   reading walks the chain outside in, as [DPIA fig. 6c] walks an expression with a path:

       let b = rotate 0 1 (reverse 0 a)        read(b, i) = let t = i + 1
       (n elements, stored)                                 let u = t >= n ? t - n : t
                                                            a[n - 1 + u * -1]

   This file makes readers; read.c reads. */
#include "backend/lower/indices.h"

static Reader *new_reader(Lower *L, ReaderKind kind, CorePrim prim, int rank, KernelExps shape)
{
    Reader *reader = ARENA_NEW(L->c->arena, Reader);
    reader->kind = kind;
    reader->prim = prim;
    reader->rank = rank;
    reader->shape = shape;
    reader->cost = 1;
    return reader;
}

static Reader *over(Lower *L, ReaderKind kind, const Reader *child, CoreType type, unsigned cost)
{
    Reader *reader = new_reader(L, kind, child->prim, type.rank, lower_shape(L, type));
    reader->child = child;
    reader->cost = child->cost + cost;
    return reader;
}

/* ---- stored arrays --------------------------------------------------------------------------- */

KernelExps lower_row_major(Lower *L, int rank, KernelExps shape, const KernelExp *unit)
{
    const KernelExp **strides = new_exps(L, (size_t)rank);
    const KernelExp *stride = unit;
    for (int k = rank - 1; k >= 0; k--) {
        strides[k] = stride;
        if (k > 0) {
            stride = lower_let(L, "stride", mul(L, stride, shape[k]));
        }
    }
    return strides;
}

const Reader *lower_buffer_reader(Lower *L, KernelVariable *buffer, int rank, KernelExps shape)
{
    Reader *reader = new_reader(L, READER_STORED, buffer->prim, rank, shape);
    reader->buffer = buffer;
    reader->offset = kernel_i64(L->c, 0);
    reader->unit = kernel_i64(L->c, 1);
    reader->strides = lower_row_major(L, rank, shape, reader->unit);
    return reader;
}

static Reader *stored_like(Lower *L, const Reader *stored, int rank, KernelExps shape)
{
    Reader *reader = new_reader(L, READER_STORED, stored->prim, rank, shape);
    reader->buffer = stored->buffer;
    reader->guard = stored->guard;
    reader->offset = stored->offset;
    reader->may_repeat = stored->may_repeat;
    return reader;
}

const Reader *lower_guarded(Lower *L, const Reader *reader, const KernelExp *guard)
{
    if (guard == NULL) {
        return reader;
    }
    Reader *guarded = ARENA_NEW(L->c->arena, Reader);
    *guarded = *reader;
    guarded->guard =
        reader->guard == NULL
            ? guard
            : lower_let(L, "holds", kernel_binary(L->c, CORE_AND, reader->guard, guard));
    guarded->cost++;
    return guarded;
}

bool lower_reaches(const Reader *reader, const KernelVariable *buffer)
{
    for (; reader != NULL; reader = reader->child) {
        if (reader->kind == READER_STORED && reader->buffer == buffer) {
            return true;
        }
        for (size_t i = 0; i < reader->child_count; i++) {
            if (lower_reaches(reader->children[i], buffer)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- making views ---------------------------------------------------------------------------- */

/* Offsets and strides of a slice over a stored array become those of the result. */
static const Reader *slice_stored(Lower *L, const Reader *child, const bool *fixed,
                                  KernelExps offsets, KernelExps steps, int rank, KernelExps shape)
{
    Reader *reader = stored_like(L, child, rank, shape);
    const KernelExp **strides = new_exps(L, (size_t)rank);
    bool dense = child->unit != NULL;
    int axis = 0;
    for (int k = 0; k < child->rank; k++) {
        reader->offset = add(L, reader->offset, mul(L, offsets[k], child->strides[k]));
        if (!fixed[k]) {
            strides[axis] = lower_let(L, "stride", mul(L, steps[k], child->strides[k]));
            bool moves = steps[k]->kind == KERNEL_CONSTANT && !kernel_is_i64(steps[k], 0);
            reader->may_repeat = reader->may_repeat || !moves;
            bool whole = same_exp(shape[axis], child->shape[k]);
            dense = dense && kernel_is_i64(steps[k], 1) && (axis == 0 || whole);
            axis++;
        } else {
            dense = dense && axis == 0;
        }
    }
    reader->offset = lower_let(L, "start", reader->offset);
    reader->strides = strides;
    reader->unit = dense ? child->unit : NULL;
    return reader;
}

static const Reader *make_slice(Lower *L, const Reader *child, const bool *fixed,
                                KernelExps offsets, KernelExps steps, int rank, KernelExps shape);

/* One of the rows, all of which are the same memory. */
static const Reader *repeated_row(Lower *L, const Reader *row)
{
    Reader *reader = arena_copy(L->c->arena, row, sizeof *row);
    reader->may_repeat = true;
    return reader;
}

/* Of repeated rows, a slice is repeated slices of a row; NULL where no axis of a row is left. */
static const Reader *slice_repeated(Lower *L, const Reader *child, const bool *fixed,
                                    KernelExps offsets, KernelExps steps, int rank,
                                    KernelExps shape)
{
    int repeated = child->rank - child->child->rank, left = 0;
    for (int k = repeated; k < child->rank; k++) {
        left += !fixed[k];
    }
    if (left == 0) {
        return NULL;
    }
    const Reader *row = make_slice(L, child->child, fixed + repeated, offsets + repeated,
                                   steps + repeated, left, shape + (rank - left));
    row = lower_guarded(L, row, child->guard);
    if (left == rank) {
        return repeated_row(L, row);
    }
    Reader *reader = new_reader(L, READER_REPLICATE, child->prim, rank, shape);
    reader->child = row;
    reader->cost = row->cost;
    return reader;
}

static const Reader *make_slice(Lower *L, const Reader *child, const bool *fixed,
                                KernelExps offsets, KernelExps steps, int rank, KernelExps shape)
{
    if (child->kind == READER_STORED) {
        return slice_stored(L, child, fixed, offsets, steps, rank, shape);
    }
    if (child->kind == READER_REPLICATE && child->child != NULL) {
        const Reader *repeated = slice_repeated(L, child, fixed, offsets, steps, rank, shape);
        if (repeated != NULL) {
            return repeated;
        }
    }
    Reader *reader = new_reader(L, READER_SLICE, child->prim, rank, shape);
    reader->child = child;
    reader->cost = child->cost + 2;
    reader->fixed = fixed;
    reader->offsets = offsets;
    reader->strides = steps;
    return reader;
}

const Reader *lower_row(Lower *L, const Reader *reader, size_t count, KernelExps indices)
{
    if (count == 0) {
        return reader;
    }
    size_t axes = (size_t)reader->rank;
    bool *fixed = ARENA_ARRAY(L->c->arena, bool, axes);
    const KernelExp **offsets = new_exps(L, axes), **steps = new_exps(L, axes);
    for (size_t k = 0; k < axes; k++) {
        fixed[k] = k < count;
        offsets[k] = fixed[k] ? lower_let(L, "row", indices[k]) : kernel_i64(L->c, 0);
        steps[k] = kernel_i64(L->c, 1);
    }
    return make_slice(L, reader, fixed, offsets, steps, reader->rank - (int)count,
                      reader->shape + count);
}

const Reader *lower_stretch(Lower *L, const Reader *reader, int axis, const KernelExp *first,
                            KernelExps shape)
{
    size_t axes = (size_t)reader->rank;
    bool *fixed = ARENA_ARRAY(L->c->arena, bool, axes);
    const KernelExp **offsets = new_exps(L, axes), **steps = new_exps(L, axes);
    for (size_t k = 0; k < axes; k++) {
        offsets[k] = (int)k == axis ? first : kernel_i64(L->c, 0);
        steps[k] = kernel_i64(L->c, 1);
    }
    return make_slice(L, reader, fixed, offsets, steps, reader->rank, shape);
}

const Reader *lower_chunk(Lower *L, const Reader *reader, const KernelExp *first,
                          const KernelExp *count)
{
    const KernelExp **shape = new_exps(L, (size_t)reader->rank);
    memcpy(shape, reader->shape, sizeof *shape * (size_t)reader->rank);
    shape[0] = count;
    return lower_stretch(L, reader, 0, first, shape);
}

const Reader *lower_slice(Lower *L, const Reader *reader, const CoreSlice *slices)
{
    size_t axes = (size_t)reader->rank;
    bool *fixed = ARENA_ARRAY(L->c->arena, bool, axes);
    const KernelExp **offsets = new_exps(L, axes), **steps = new_exps(L, axes),
                    **shape = new_exps(L, axes);
    int rank = 0;
    for (size_t k = 0; k < axes; k++) {
        fixed[k] = slices[k].fixed;
        offsets[k] = lower_scalar(L, slices[k].offset);
        if (!fixed[k]) {
            steps[k] = lower_scalar(L, slices[k].stride);
            shape[rank++] = lower_scalar(L, slices[k].count);
        }
    }
    return make_slice(L, reader, fixed, offsets, steps, rank, shape);
}

static const Reader *view_index(Lower *L, const CoreExp *exp, CoreType type)
{
    size_t count = exp->as.index.count;
    const KernelExp **indices = new_exps(L, count);
    for (size_t k = 0; k < count; k++) {
        indices[k] = lower_scalar(L, exp->as.index.indices[k]);
    }
    Reader *row = ARENA_NEW(L->c->arena, Reader);
    *row = *lower_row(L, lower_array(L, exp->as.index.array), count, indices);
    row->shape = lower_shape(L, type);
    return row;
}

static const Reader *view_replicate(Lower *L, const CoreExp *exp, CoreType type)
{
    Value value = lower_value(L, exp->as.replicate.value);
    Reader *reader = new_reader(L, READER_REPLICATE, type.prim, type.rank, lower_shape(L, type));
    reader->fill = value.scalar;
    reader->child = value.array;
    reader->cost = value.array == NULL ? 1 : value.array->cost + 1;
    return reader;
}

const Reader *lower_repeated(Lower *L, const KernelExp *value, const Reader *like)
{
    Reader *reader = new_reader(L, READER_REPLICATE, like->prim, like->rank, like->shape);
    reader->fill = value;
    return reader;
}

static const Reader *rearranged(Lower *L, const Reader *child, const int *permutation,
                                CoreType type)
{
    if (child->kind == READER_STORED) {
        Reader *reader = stored_like(L, child, type.rank, lower_shape(L, type));
        const KernelExp **strides = new_exps(L, (size_t)type.rank);
        bool moved = false;
        for (int k = 0; k < type.rank; k++) {
            strides[k] = child->strides[permutation[k]];
            moved = moved || permutation[k] != k;
        }
        reader->strides = strides;
        reader->unit = moved ? NULL : child->unit;
        return reader;
    }
    Reader *reader = over(L, READER_REARRANGE, child, type, 1);
    reader->permutation = permutation;
    return reader;
}

static const Reader *reshaped(Lower *L, const Reader *child, CoreType type)
{
    if (child->kind == READER_STORED && child->unit != NULL) {
        Reader *reader = stored_like(L, child, type.rank, lower_shape(L, type));
        reader->unit = child->unit;
        reader->strides = lower_row_major(L, type.rank, reader->shape, child->unit);
        if (type.rank == 1 && child->rank == 1) {
            reader->items = child->items;
            reader->item_count = child->item_count;
        }
        return reader;
    }
    bool coercion = child->rank == type.rank;
    KernelExps shape = lower_shape(L, type);
    for (int k = 0; coercion && k < type.rank; k++) {
        coercion = same_exp(shape[k], child->shape[k]);
    }
    if (coercion || (child->rank == 1 && type.rank == 1) ||
        (child->kind == READER_REPLICATE && child->child == NULL)) {
        Reader *same = ARENA_NEW(L->c->arena, Reader);
        *same = *child;
        same->rank = type.rank;
        same->shape = shape;
        return same;
    }
    Reader *reader = over(L, READER_RESHAPE, child, type, 4 * (unsigned)child->rank);
    const KernelExp **divisors = new_exps(L, (size_t)child->rank);
    for (int k = 0; k < child->rank; k++) {
        divisors[k] = lower_let(
            L, "extent", kernel_binary(L->c, CORE_MAX, child->shape[k], kernel_i64(L->c, 1)));
    }
    reader->divisors = divisors;
    return reader;
}

static const Reader *view_cycle(Lower *L, const CoreExp *exp, CoreType type)
{
    const Reader *child = lower_array(L, exp->as.cycle.array);
    Reader *reader = over(L, READER_CYCLE, child, type, 4);
    reader->fill = lower_scalar(L, exp->as.cycle.fill);
    reader->amount =
        lower_let(L, "extent", kernel_binary(L->c, CORE_MAX, child->shape[0], kernel_i64(L->c, 1)));
    return reader;
}

/* A rotation by a known number of places needs no remainder but where it goes beyond an end, where loops of sequential
   programs are split (backend/split/); by one place it needs none, as the extent is at least 1 where there are rows. */
static bool is_near(const Lower *L, const KernelExp *amount, const KernelExp *extent)
{
    enum { MOST_PLACES = 64 };
    if (amount->kind != KERNEL_CONSTANT) {
        return false;
    }
    int64_t places = amount->as.constant.as.integer;
    bool few = L->target == KERNEL_SEQUENTIAL && places >= -MOST_PLACES && places <= MOST_PLACES;
    return places == 1 || places == -1 || (few && extent->kind != KERNEL_CONSTANT);
}

static const Reader *rotated(Lower *L, const Reader *child, int axis, const KernelExp *amount,
                             CoreType type)
{
    if (kernel_is_i64(amount, 0)) {
        return child;
    }
    Reader *reader = over(L, READER_ROTATE, child, type, 4);
    reader->axis = axis;
    reader->amount =
        is_near(L, amount, reader->shape[axis])
            ? amount
            : lower_let(L, "turn", kernel_binary(L->c, CORE_MOD, amount, reader->shape[axis]));
    return reader;
}

static const Reader *reversed(Lower *L, const Reader *child, int axis, CoreType type)
{
    if (child->kind == READER_STORED) {
        size_t axes = (size_t)child->rank;
        bool *fixed = ARENA_ARRAY(L->c->arena, bool, axes);
        const KernelExp **offsets = new_exps(L, axes), **steps = new_exps(L, axes);
        for (size_t k = 0; k < axes; k++) {
            bool here = (int)k == axis;
            offsets[k] = here ? lower_let(L, "last", sub(L, child->shape[k], kernel_i64(L->c, 1)))
                              : kernel_i64(L->c, 0);
            steps[k] = kernel_i64(L->c, here ? -1 : 1);
        }
        return slice_stored(L, child, fixed, offsets, steps, type.rank, lower_shape(L, type));
    }
    Reader *reader = over(L, READER_REVERSE, child, type, 2);
    reader->axis = axis;
    return reader;
}

static const Reader *padded(Lower *L, const Reader *child, int axis, const KernelExp *before,
                            const KernelExp *fill, KernelExps shape)
{
    Reader *reader = new_reader(L, READER_PAD, child->prim, child->rank, shape);
    reader->child = child;
    reader->cost = child->cost + 4;
    reader->axis = axis;
    reader->amount = before;
    reader->fill = fill;
    return reader;
}

static const Reader *view_concat(Lower *L, const CoreExp *exp, CoreType type)
{
    size_t count = exp->as.concat.count;
    int axis = exp->as.concat.axis;
    Reader *reader = new_reader(L, READER_CONCAT, type.prim, type.rank, lower_shape(L, type));
    const Reader **children = ARENA_ARRAY(L->c->arena, const Reader *, count);
    const KernelExp **starts = new_exps(L, count);
    starts[0] = kernel_i64(L->c, 0);
    reader->cost = 0;
    for (size_t i = 0; i < count; i++) {
        children[i] = lower_array(L, exp->as.concat.arrays[i]);
        reader->cost += children[i]->cost + 3;
        if (i + 1 < count) {
            starts[i + 1] = lower_let(L, "start", add(L, starts[i], children[i]->shape[axis]));
        }
    }
    reader->axis = axis;
    reader->children = children;
    reader->child_count = count;
    reader->offsets = starts;
    return reader;
}

static const Reader *view_pad(Lower *L, const CoreExp *exp, CoreType type)
{
    return padded(L, lower_array(L, exp->as.pad.array), exp->as.pad.axis,
                  lower_scalar(L, exp->as.pad.before), lower_scalar(L, exp->as.pad.fill),
                  lower_shape(L, type));
}

static const Reader *view_slice(Lower *L, const CoreExp *exp, CoreType type)
{
    Reader *reader = ARENA_NEW(L->c->arena, Reader);
    *reader = *lower_slice(L, lower_array(L, exp->as.slice.array), exp->as.slice.slices);
    reader->shape = lower_shape(L, type);
    return reader;
}

const Reader *lower_view(Lower *L, const CoreExp *exp, CoreType type)
{
    switch (exp->kind) {
    case CORE_EXP_INDEX: return view_index(L, exp, type);
    case CORE_EXP_IOTA: return new_reader(L, READER_IOTA, CORE_I64, 1, lower_shape(L, type));
    case CORE_EXP_REPLICATE: return view_replicate(L, exp, type);
    case CORE_EXP_REARRANGE:
        return rearranged(L, lower_array(L, exp->as.rearrange.array), exp->as.rearrange.permutation,
                          type);
    case CORE_EXP_RESHAPE: return reshaped(L, lower_array(L, exp->as.reshape.array), type);
    case CORE_EXP_CYCLE: return view_cycle(L, exp, type);
    case CORE_EXP_ROTATE:
        return rotated(L, lower_array(L, exp->as.rotate.array), exp->as.rotate.axis,
                       lower_scalar(L, exp->as.rotate.amount), type);
    case CORE_EXP_REVERSE:
        return reversed(L, lower_array(L, exp->as.reverse.array), exp->as.reverse.axis, type);
    case CORE_EXP_SLICE: return view_slice(L, exp, type);
    case CORE_EXP_CONCAT: return view_concat(L, exp, type);
    case CORE_EXP_PAD: return view_pad(L, exp, type);
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
    case CORE_EXP_APPLY:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: break;
    }
    internal_error(L->c, "not a view");
}

/* ---- views the other way round ----------------------------------------------------------------- */

/* Elements outside of the slice have no place. */
static const Reader *around_slice(Lower *L, const Reader *acceptor, const CoreExp *exp,
                                  KernelExps whole)
{
    const KernelExp **shape = new_exps(L, (size_t)acceptor->rank);
    memcpy(shape, acceptor->shape, sizeof *shape * (size_t)acceptor->rank);
    for (int axis = 0; axis < acceptor->rank; axis++) {
        const CoreSlice *slice = &exp->as.slice.slices[axis];
        const KernelExp *first = lower_scalar(L, slice->offset);
        if (kernel_is_i64(first, 0) && same_exp(shape[axis], whole[axis])) {
            continue;
        }
        KernelExps inside = shape;
        shape = new_exps(L, (size_t)acceptor->rank);
        memcpy(shape, inside, sizeof *shape * (size_t)acceptor->rank);
        shape[axis] = whole[axis];
        acceptor = padded(L, acceptor, axis, first, lower_zero(L, acceptor->prim), shape);
    }
    return acceptor;
}

const Reader *lower_through(Lower *L, const Reader *acceptor, const CoreExp *exp, CoreType operand)
{
    switch ((int)exp->kind) { /* others have operands that belong nowhere, or several */
    case CORE_EXP_RESHAPE: return reshaped(L, acceptor, operand);
    case CORE_EXP_REARRANGE: {
        int *inverse = ARENA_ARRAY(L->c->arena, int, operand.rank + 1);
        for (int axis = 0; axis < operand.rank; axis++) {
            inverse[exp->as.rearrange.permutation[axis]] = axis;
        }
        return rearranged(L, acceptor, inverse, operand);
    }
    case CORE_EXP_REVERSE: return reversed(L, acceptor, exp->as.reverse.axis, operand);
    case CORE_EXP_ROTATE: {
        int axis = exp->as.rotate.axis;
        const KernelExp *extent = acceptor->shape[axis];
        const KernelExp *amount =
            kernel_binary(L->c, CORE_MOD, lower_scalar(L, exp->as.rotate.amount), extent);
        return rotated(L, acceptor, axis, sub(L, extent, amount), operand);
    }
    case CORE_EXP_SLICE: return around_slice(L, acceptor, exp, lower_shape(L, operand));
    case CORE_EXP_PAD:
        return lower_stretch(L, acceptor, exp->as.pad.axis, lower_scalar(L, exp->as.pad.before),
                             lower_shape(L, operand));
    }
    internal_error(L->c, "not a view of one array");
}
