/* The interpreter's arrays: making, indexing, updating, and the views.

   REARRANGE, REVERSE, SLICE, REPLICATE, rows, and RESHAPE of what is contiguous give a new header
   over the same block; the other views are computed at once into a new block.

       slice a[o :+ n * s]     offset + o * stride, extent n, stride * s */
#include "core/interpret_machine.h"

static int64_t checked_index(Machine *machine, int64_t index, int64_t extent)
{
    if (index < 0 || index >= extent) {
        interpret_machine_fail(machine, "INDEX ERROR", "index %s of an axis of %s",
                               interpret_machine_number(machine, index),
                               interpret_machine_number(machine, extent));
    }
    return index;
}

static void run_index(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int64_t at = 0;
    for (size_t i = 1; i < in->operand_count; i++) {
        int64_t index = operand_whole(in, frame, i);
        at += checked_index(machine, index, array->extents[i - 1]) * array->strides[i - 1];
    }
    frame[in->result] = interpret_cell_load(array->prim, array_at(array, at));
}

static void run_index_row(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int fixed = (int)in->operand_count - 1, rank = array->rank - fixed;
    int64_t at = 0;
    for (int axis = 0; axis < fixed; axis++) {
        int64_t index = operand_whole(in, frame, (size_t)axis + 1);
        at += checked_index(machine, index, array->extents[axis]) * array->strides[axis];
    }
    Array *row = interpret_array_view(machine, array, rank);
    row->offset += at;
    memcpy(row->extents, array->extents + fixed, (size_t)rank * sizeof(int64_t));
    memcpy(row->strides, array->strides + fixed, (size_t)rank * sizeof(int64_t));
    frame[in->result].array = row;
}

/* ---- slices and updates -------------------------------------------------------------------- */

/* The view of `array` that slices select, their operands standing from `operand` on; axes without a
   slice are whole. */
static Array *slice_view(Machine *machine, const Instruction *in, const Cell *frame, size_t operand,
                         size_t count, const CoreSlice *slices, const Array *array)
{
    int rank = array->rank, axis = 0;
    for (size_t i = 0; i < count; i++) {
        rank -= slices[i].fixed;
    }
    Array *view = interpret_array_view(machine, array, rank);
    for (int from = 0; from < array->rank; from++) {
        int64_t extent = array->extents[from], stride = array->strides[from];
        if ((size_t)from >= count) {
            view->extents[axis] = extent;
            view->strides[axis++] = stride;
            continue;
        }
        int64_t offset = operand_whole(in, frame, operand++);
        if (slices[from].fixed) {
            view->offset += checked_index(machine, offset, extent) * stride;
            continue;
        }
        int64_t length = operand_whole(in, frame, operand++);
        int64_t step = operand_whole(in, frame, operand++);
        if (length < 0) {
            interpret_machine_fail(machine, "LIMIT ERROR", "an axis of %s",
                                   interpret_machine_number(machine, length));
        }
        if (length > 0) {
            int64_t last;
            if (__builtin_mul_overflow(length - 1, step, &last) ||
                __builtin_add_overflow(last, offset, &last)) {
                last = -1;
            }
            checked_index(machine, last, extent);
            view->offset += checked_index(machine, offset, extent) * stride;
        }
        view->extents[axis] = length;
        view->strides[axis++] = length > 1 ? stride * step : 1;
    }
    return view;
}

static void run_slice(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    frame[in->result].array = slice_view(machine, in, frame, 1, exp->as.slice.count,
                                         exp->as.slice.slices, operand_array(in, frame, 0));
}

/* A slice of which nothing but one element is left. */
static void run_slice_scalar(Machine *machine, const Instruction *in, Cell *frame)
{
    run_slice(machine, in, frame);
    Array *view = frame[in->result].array;
    frame[in->result] = interpret_cell_load(view->prim, array_at(view, 0));
    interpret_array_drop(machine, view);
}

static void run_update(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    bool scalar = core_atom_type(exp->as.update.value).rank == 0;
    Cell value = frame[in->y];
    Array *array = interpret_array_owned(machine, take_operand(in, frame, 0));
    Array *target =
        slice_view(machine, in, frame, 2, exp->as.update.count, exp->as.update.slices, array);
    if (scalar) {
        interpret_array_fill(machine, target, value);
    } else {
        interpret_array_copy(machine, target, value.array);
    }
    interpret_array_drop(machine, target);
    frame[in->result].array = array;
}

/* ---- making -------------------------------------------------------------------------------- */

static void run_literal(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreType *type = &in->stm->pattern[0]->type;
    size_t count = in->operand_count;
    const Array *first = count && type->rank > 1 ? operand_array(in, frame, 0) : NULL;
    Array *array =
        interpret_array_of_rows(machine, type, (int64_t)count, first, in->sizes[0], frame);
    for (size_t i = 0; i < count; i++) {
        interpret_array_set_row(machine, array, (int64_t)i, frame[in->operands[i]]);
    }
    frame[in->result].array = array;
}

static void run_iota(Machine *machine, const Instruction *in, Cell *frame)
{
    int64_t count = frame[in->x].whole;
    Array *array = interpret_array_new(machine, CORE_I64, 1, &count);
    int64_t *data = array_at(array, 0);
    for (int64_t i = 0; i < count; i++) {
        data[i] = i;
    }
    frame[in->result].array = array;
}

/* Operands from `operand` on, all of them, as extents in machine->extents; says how many. */
static int extents_of_operands(Machine *machine, const Instruction *in, const Cell *frame,
                               size_t operand)
{
    int rank = 0;
    for (; operand < in->operand_count; operand++) {
        int64_t extent = operand_whole(in, frame, operand);
        if (extent < 0) {
            interpret_machine_fail(machine, "LIMIT ERROR", "an axis of %s",
                                   interpret_machine_number(machine, extent));
        }
        machine->extents[rank++] = extent;
    }
    return rank;
}

static void run_replicate(Machine *machine, const Instruction *in, Cell *frame)
{
    CoreType type = core_atom_type(in->stm->exp->as.replicate.value);
    Array *base = NULL;
    if (type.rank == 0) {
        base = interpret_array_new(machine, type.prim, 0, NULL);
        interpret_cell_store(type.prim, array_at(base, 0), frame[in->x]);
    } else {
        base = array_retain(frame[in->x].array);
    }
    int added = extents_of_operands(machine, in, frame, 1);
    Array *array = interpret_array_view(machine, base, added + base->rank);
    for (int axis = 0; axis < added; axis++) {
        array->extents[axis] = machine->extents[axis];
        array->strides[axis] = 0;
    }
    memcpy(array->extents + added, base->extents, (size_t)base->rank * sizeof(int64_t));
    memcpy(array->strides + added, base->strides, (size_t)base->rank * sizeof(int64_t));
    interpret_array_drop(machine, base);
    frame[in->result].array = array;
}

/* Contents are undefined; zero here, so that programs that read them are the same each time. */
static void run_scratch(Machine *machine, const Instruction *in, Cell *frame)
{
    CorePrim prim = in->stm->exp->as.scratch.prim;
    int rank = extents_of_operands(machine, in, frame, 0);
    Array *array = interpret_array_new(machine, prim, rank, machine->extents);
    memset(array_at(array, 0), 0,
           (size_t)interpret_array_count(machine, array) * interpret_array_element_size(prim));
    frame[in->result].array = array;
}

/* ---- views by strides ---------------------------------------------------------------------- */

static void run_rearrange(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    const int *permutation = in->stm->exp->as.rearrange.permutation;
    Array *view = interpret_array_view(machine, array, array->rank);
    for (int axis = 0; axis < array->rank; axis++) {
        view->extents[axis] = array->extents[permutation[axis]];
        view->strides[axis] = array->strides[permutation[axis]];
    }
    frame[in->result].array = view;
}

static void run_reverse(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int axis = in->stm->exp->as.reverse.axis;
    Array *view = interpret_array_same_view(machine, array);
    if (view->extents[axis] > 0) {
        view->offset += (view->extents[axis] - 1) * view->strides[axis];
    }
    view->strides[axis] = -view->strides[axis];
    frame[in->result].array = view;
}

static void run_reshape(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int rank = extents_of_operands(machine, in, frame, 1);
    const int64_t *extents = machine->extents;
    if (rank == array->rank &&
        memcmp(extents, array->extents, (size_t)rank * sizeof *extents) == 0) {
        frame[in->result].array = interpret_array_same_view(machine, array);
        return;
    }
    Array *packed = interpret_array_packed(machine, frame[in->x].array);
    Array *view = interpret_array_view(machine, packed, rank);
    uint64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        view->extents[axis] = extents[axis];
        view->strides[axis] = (int64_t)stride;
        stride *= (uint64_t)extents[axis];
    }
    int64_t before = interpret_array_count(machine, packed),
            after = interpret_array_count(machine, view);
    interpret_array_drop(machine, packed);
    if (before != after) {
        interpret_machine_fail(machine, "LENGTH ERROR", "%s and %s elements",
                               interpret_machine_number(machine, before),
                               interpret_machine_number(machine, after));
    }
    frame[in->result].array = view;
}

/* ---- views by copying ---------------------------------------------------------------------- */

/* Rows from `start` on along `axis`. */
static Array *part_along(Machine *machine, const Array *array, int axis, int64_t start,
                         int64_t count)
{
    Array *part = interpret_array_same_view(machine, array);
    part->offset += count ? start * part->strides[axis] : 0;
    part->extents[axis] = count;
    return part;
}

/* to[start ... along axis] := from, all of it. */
static void copy_along(Machine *machine, Array *to, int axis, int64_t start, const Array *from)
{
    Array *part = part_along(machine, to, axis, start, from->extents[axis]);
    interpret_array_copy(machine, part, from);
    interpret_array_drop(machine, part);
}

/* A new array with the shape of `array` but for one axis. */
static Array *new_like(Machine *machine, const Array *array, int axis, int64_t extent)
{
    memcpy(machine->extents, array->extents, (size_t)array->rank * sizeof(int64_t));
    machine->extents[axis] = extent;
    return interpret_array_new(machine, array->prim, array->rank, machine->extents);
}

static int64_t checked_sum(Machine *machine, int64_t x, int64_t y)
{
    int64_t sum;
    if (x < 0 || y < 0 || __builtin_add_overflow(x, y, &sum)) {
        interpret_machine_fail(machine, "LIMIT ERROR", "an axis of %s and %s",
                               interpret_machine_number(machine, x),
                               interpret_machine_number(machine, y));
    }
    return sum;
}

static void run_cycle(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int64_t count = operand_whole(in, frame, 1), length = array->extents[0];
    Array *result = interpret_array_new(machine, array->prim, 1, &count);
    if (length == 0) {
        interpret_array_fill(machine, result, frame[in->operands[2]]);
    } else {
        for (int64_t start = 0; start < count; start += length) {
            int64_t left = count - start;
            Array *part = interpret_array_rows(machine, array, 0, left < length ? left : length);
            copy_along(machine, result, 0, start, part);
            interpret_array_drop(machine, part);
        }
    }
    frame[in->result].array = result;
}

/* Two pieces: from k on to the end, then the first k. */
static void run_rotate(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int axis = in->stm->exp->as.rotate.axis;
    int64_t extent = array->extents[axis], amount = operand_whole(in, frame, 1);
    Array *result = new_like(machine, array, axis, extent);
    if (extent > 0) {
        int64_t first = amount % extent + (amount % extent < 0 ? extent : 0);
        Array *end = part_along(machine, array, axis, first, extent - first);
        Array *beginning = part_along(machine, array, axis, 0, first);
        copy_along(machine, result, axis, 0, end);
        copy_along(machine, result, axis, extent - first, beginning);
        interpret_array_drop(machine, end);
        interpret_array_drop(machine, beginning);
    }
    frame[in->result].array = result;
}

static void run_concat(Machine *machine, const Instruction *in, Cell *frame)
{
    int axis = in->stm->exp->as.concat.axis;
    int64_t extent = 0, start = 0;
    for (size_t i = 0; i < in->operand_count; i++) {
        extent = checked_sum(machine, extent, operand_array(in, frame, i)->extents[axis]);
    }
    Array *result = new_like(machine, operand_array(in, frame, 0), axis, extent);
    for (size_t i = 0; i < in->operand_count; i++) {
        const Array *part = operand_array(in, frame, i);
        copy_along(machine, result, axis, start, part);
        start += part->extents[axis];
    }
    frame[in->result].array = result;
}

static void run_pad(Machine *machine, const Instruction *in, Cell *frame)
{
    const Array *array = operand_array(in, frame, 0);
    int axis = in->stm->exp->as.pad.axis;
    int64_t before = operand_whole(in, frame, 1), after = operand_whole(in, frame, 2);
    int64_t extent =
        checked_sum(machine, checked_sum(machine, before, after), array->extents[axis]);
    Array *result = new_like(machine, array, axis, extent);
    interpret_array_fill(machine, result, frame[in->operands[3]]);
    copy_along(machine, result, axis, before, array);
    frame[in->result].array = result;
}

Run *interpret_array_run(CoreExpKind kind, bool scalar_result)
{
    static Run *const runs[CORE_EXP_FORMAT + 1] = {
        [CORE_EXP_UPDATE] = run_update,   [CORE_EXP_LITERAL] = run_literal,
        [CORE_EXP_IOTA] = run_iota,       [CORE_EXP_REPLICATE] = run_replicate,
        [CORE_EXP_SCRATCH] = run_scratch, [CORE_EXP_REARRANGE] = run_rearrange,
        [CORE_EXP_RESHAPE] = run_reshape, [CORE_EXP_CYCLE] = run_cycle,
        [CORE_EXP_ROTATE] = run_rotate,   [CORE_EXP_REVERSE] = run_reverse,
        [CORE_EXP_CONCAT] = run_concat,   [CORE_EXP_PAD] = run_pad,
    };
    if (kind == CORE_EXP_INDEX) {
        return scalar_result ? run_index : run_index_row;
    }
    if (kind == CORE_EXP_SLICE) {
        return scalar_result ? run_slice_scalar : run_slice;
    }
    return runs[kind];
}
