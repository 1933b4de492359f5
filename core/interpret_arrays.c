/* The interpreter's arrays: headers with extents and strides over reference-counted blocks.

   Headers come from slabs and go back to a list by rank; blocks come from malloc and stand on the
   machine's list, so that whatever a failing program still holds is freed at its end. What does not
   fit into the machine's memory is refused when it is asked for (WS FULL). */
#include "core/interpret_machine.h"

#include <stdlib.h>

struct Slab {
    struct Slab *next;
    _Alignas(16) char bytes[];
};

enum { SLAB_SIZE = 1 << 16 };

size_t interpret_array_element_size(CorePrim prim)
{
    static const unsigned char sizes[] = {1, 4, 4, 8, 4, 8, 1};
    return sizes[prim];
}

/* ---- memory -------------------------------------------------------------------------------- */

static Block *block_new(Machine *machine, size_t bytes)
{
    Block *block = NULL;
    if (bytes <= machine->most_bytes && machine->live_bytes <= machine->most_bytes - bytes) {
        block = malloc(sizeof *block + (bytes ? bytes : 1));
    }
    if (!block) {
        interpret_machine_fail(machine, "WS FULL", "%zu bytes", bytes);
    }
    block->references = 1;
    block->bytes = bytes;
    block->previous = NULL;
    block->next = machine->blocks;
    if (block->next) {
        block->next->previous = block;
    }
    machine->blocks = block;
    machine->live_bytes += bytes;
    return block;
}

static void block_drop(Machine *machine, Block *block)
{
    if (--block->references) {
        return;
    }
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        machine->blocks = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
    machine->live_bytes -= block->bytes;
    free(block);
}

static Array *header_new(Machine *machine, int rank)
{
    Array *array = machine->idle_arrays[rank];
    if (array) {
        machine->idle_arrays[rank] = array->in.next_free;
    } else {
        size_t size = sizeof *array + 2 * (size_t)rank * sizeof(int64_t);
        size = (size + 15) / 16 * 16;
        if ((size_t)(machine->slab_end - machine->slab_at) < size) {
            size_t room = size > SLAB_SIZE ? size : SLAB_SIZE;
            struct Slab *slab = malloc(sizeof *slab + room);
            if (!slab) {
                interpret_machine_fail(machine, "WS FULL", "%zu bytes", room);
            }
            slab->next = machine->slabs;
            machine->slabs = slab;
            machine->slab_at = slab->bytes;
            machine->slab_end = slab->bytes + room;
        }
        array = (Array *)(void *)machine->slab_at;
        machine->slab_at += size;
    }
    array->references = 1;
    array->rank = rank;
    array->offset = 0;
    array->strides = array->extents + rank;
    return array;
}

/* The product of extents. An empty array has no elements, whatever its other axes. */
static int64_t count_elements(Machine *machine, int rank, const int64_t *extents)
{
    int64_t count = 1;
    bool overflow = false;
    for (int axis = 0; axis < rank; axis++) {
        if (extents[axis] < 0) {
            interpret_machine_fail(machine, "LIMIT ERROR", "an axis of %s",
                                   interpret_machine_number(machine, extents[axis]));
        }
        if (extents[axis] == 0) {
            return 0;
        }
        overflow |= __builtin_mul_overflow(count, extents[axis], &count);
    }
    if (overflow || count > INT64_MAX / 16) {
        interpret_machine_fail(machine, "LIMIT ERROR", "too many elements");
    }
    return count;
}

Array *interpret_array_new(Machine *machine, CorePrim prim, int rank, const int64_t *extents)
{
    int64_t count = count_elements(machine, rank, extents);
    Block *block = block_new(machine, (size_t)count * interpret_array_element_size(prim));
    Array *array = header_new(machine, rank);
    array->in.block = block;
    array->prim = prim;
    uint64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        array->extents[axis] = extents[axis];
        array->strides[axis] = (int64_t)stride;
        stride *= (uint64_t)extents[axis];
    }
    return array;
}

Array *interpret_array_view(Machine *machine, const Array *array, int rank)
{
    Array *view = header_new(machine, rank);
    view->in.block = array->in.block;
    view->in.block->references++;
    view->prim = array->prim;
    view->offset = array->offset;
    return view;
}

Array *interpret_array_same_view(Machine *machine, const Array *array)
{
    Array *view = interpret_array_view(machine, array, array->rank);
    memcpy(view->extents, array->extents, 2 * (size_t)array->rank * sizeof(int64_t));
    return view;
}

void interpret_array_drop(Machine *machine, Array *array)
{
    if (!array || --array->references) {
        return;
    }
    block_drop(machine, array->in.block);
    array->in.next_free = machine->idle_arrays[array->rank];
    machine->idle_arrays[array->rank] = array;
}

/* ---- elements ------------------------------------------------------------------------------ */

Cell interpret_cell_load(CorePrim prim, const void *at)
{
    switch (prim) {
    case CORE_BOOL: return (Cell){.whole = *(const uint8_t *)at};
    case CORE_CHAR: return (Cell){.whole = *(const uint32_t *)at};
    case CORE_I32: return (Cell){.whole = *(const int32_t *)at};
    case CORE_I64: return (Cell){.whole = *(const int64_t *)at};
    case CORE_F32: return (Cell){.real = *(const float *)at};
    case CORE_F64: return (Cell){.real = *(const double *)at};
    case CORE_CERT: break;
    }
    return (Cell){.whole = 0};
}

void interpret_cell_store(CorePrim prim, void *at, Cell cell)
{
    switch (prim) {
    case CORE_BOOL: *(uint8_t *)at = (uint8_t)cell.whole; return;
    case CORE_CHAR: *(uint32_t *)at = (uint32_t)cell.whole; return;
    case CORE_I32: *(int32_t *)at = (int32_t)cell.whole; return;
    case CORE_I64: *(int64_t *)at = cell.whole; return;
    case CORE_F32: *(float *)at = (float)cell.real; return;
    case CORE_F64: *(double *)at = cell.real; return;
    case CORE_CERT: return;
    }
}

int64_t interpret_array_count(Machine *machine, const Array *array)
{
    return count_elements(machine, array->rank, array->extents);
}

bool interpret_array_contiguous(const Array *array)
{
    uint64_t stride = 1;
    bool contiguous = true;
    for (int axis = array->rank - 1; axis >= 0; axis--) {
        if (array->extents[axis] == 0) {
            return true;
        }
        contiguous &= array->extents[axis] == 1 || array->strides[axis] == (int64_t)stride;
        stride *= (uint64_t)array->extents[axis];
    }
    return contiguous;
}

/* ---- copying ------------------------------------------------------------------------------- */

#define COPY_LINE(T)                                                                               \
    for (int64_t i = 0; i < count; i++) {                                                          \
        ((T *)to)[i * to_stride] = ((const T *)from)[i * from_stride];                             \
    }

static void copy_line(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                      int64_t count, size_t size)
{
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)count * size);
    } else if (size == 8) {
        COPY_LINE(uint64_t)
    } else if (size == 4) {
        COPY_LINE(uint32_t)
    } else {
        COPY_LINE(uint8_t)
    }
}

/* Axes from `axis` on; positions count elements from the arrays' first ones. Recursion is over
 * axes. */
static void copy_axes(const Array *to, int64_t to_at, const Array *from, int64_t from_at, int axis)
{
    int64_t count = to->extents[axis];
    if (axis == to->rank - 1) {
        copy_line(array_at(to, to_at), to->strides[axis], array_at(from, from_at),
                  from->strides[axis], count, interpret_array_element_size(to->prim));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        copy_axes(to, to_at, from, from_at, axis + 1);
        to_at += to->strides[axis];
        from_at += from->strides[axis];
    }
}

void interpret_array_copy(Machine *machine, Array *to, const Array *from)
{
    for (int axis = 0; axis < to->rank || axis < from->rank; axis++) {
        if (to->rank != from->rank || to->extents[axis] != from->extents[axis]) {
            interpret_machine_fail(machine, "LENGTH ERROR", "rows of different shapes");
        }
    }
    int64_t count = interpret_array_count(machine, to);
    if (count == 0) {
        return;
    }
    if (interpret_array_contiguous(to) && interpret_array_contiguous(from)) {
        memcpy(array_at(to, 0), array_at(from, 0),
               (size_t)count * interpret_array_element_size(to->prim));
    } else {
        copy_axes(to, 0, from, 0, 0);
    }
}

Array *interpret_array_packed(Machine *machine, Array *array)
{
    if (interpret_array_contiguous(array)) {
        return array_retain(array);
    }
    Array *packed = interpret_array_new(machine, array->prim, array->rank, array->extents);
    interpret_array_copy(machine, packed, array);
    return packed;
}

/* Whether two positions may be one element. */
static bool repeats_elements(const Array *array)
{
    for (int axis = 0; axis < array->rank; axis++) {
        if (array->strides[axis] == 0 && array->extents[axis] > 1) {
            return true;
        }
    }
    return false;
}

Array *interpret_array_owned(Machine *machine, Array *array)
{
    if (array->references == 1 && array->in.block->references == 1 && !repeats_elements(array)) {
        return array;
    }
    Array *copy = interpret_array_new(machine, array->prim, array->rank, array->extents);
    interpret_array_copy(machine, copy, array);
    interpret_array_drop(machine, array);
    return copy;
}

static void fill_axes(const Array *array, int64_t at, int axis, Cell value)
{
    if (axis == array->rank) {
        interpret_cell_store(array->prim, array_at(array, at), value);
        return;
    }
    for (int64_t i = 0; i < array->extents[axis]; i++) {
        fill_axes(array, at, axis + 1, value);
        at += array->strides[axis];
    }
}

void interpret_array_fill(Machine *machine, Array *array, Cell value)
{
    if (interpret_array_count(machine, array) > 0) {
        fill_axes(array, 0, 0, value);
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

Cell interpret_array_row(Machine *machine, const Array *array, int64_t i)
{
    if (array->rank == 1) {
        return interpret_cell_load(array->prim, array_at(array, i * array->strides[0]));
    }
    Array *row = interpret_array_view(machine, array, array->rank - 1);
    row->offset += i * array->strides[0];
    memcpy(row->extents, array->extents + 1, (size_t)row->rank * sizeof(int64_t));
    memcpy(row->strides, array->strides + 1, (size_t)row->rank * sizeof(int64_t));
    return (Cell){.array = row};
}

void interpret_array_set_row(Machine *machine, Array *array, int64_t i, Cell cell)
{
    if (array->rank == 1) {
        interpret_cell_store(array->prim, array_at(array, i * array->strides[0]), cell);
        return;
    }
    Cell row = interpret_array_row(machine, array, i);
    interpret_array_copy(machine, row.array, cell.array);
    interpret_array_drop(machine, row.array);
}

Array *interpret_array_rows(Machine *machine, const Array *array, int64_t start, int64_t count)
{
    Array *rows = interpret_array_same_view(machine, array);
    rows->offset += start * array->strides[0];
    rows->extents[0] = count;
    return rows;
}

Array *interpret_array_of_rows(Machine *machine, const CoreType *type, int64_t width,
                               const Array *row, const int *sizes, const Cell *frame)
{
    machine->extents[0] = width;
    for (int axis = 1; axis < type->rank; axis++) {
        machine->extents[axis] = row                ? row->extents[axis - 1]
                                 : sizes[axis] >= 0 ? frame[sizes[axis]].whole
                                                    : 0;
    }
    return interpret_array_new(machine, type->prim, type->rank, machine->extents);
}

CoreValue interpret_array_value(Machine *machine, Array *array, Array **hold)
{
    Array *packed = interpret_array_packed(machine, array);
    *hold = packed;
    return (CoreValue){packed->prim, packed->rank, packed->extents, array_at(packed, 0)};
}
