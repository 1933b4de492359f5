/* Rows that a work-item reads several at a time: 16 bytes of an array by one access, where rows lie side
   by side in memory.

       t = t + a[start + i] * x[i]     for i = first ... first + 3     ==>

       a0, a1, a2, a3 = a[start + first ...]          one access each, where start + first and first
       x0, x1, x2, x3 = x[first ...]                  are multiples of 4
       t = t + a0 * x0;  t = t + a1 * x1;  ...

   A quarter of the accesses ask for the same memory, so that more of it is on its way at a time. How
   many rows: as many as 16 bytes hold of the widest elements; of narrower ones fewer bytes are read.

   What a row reads is seen in the row as it has been lowered, whatever views it came from: each index
   has to grow by one from row to row, or not at all, or by a step that is 1 but where an array with a
   single element is repeated. The rest is found out by the work-item, once a segment: whether the
   steps are 1, and whether the first indices are multiples. Reading row by row stays beside this. */
#include "backend/lower/reduce.h"
#include "backend/slices.h"

enum {
    BYTES = 16,      /* the most that one access of a work-item reads */
    MOST_ARRAYS = 8, /* that a row reads */
    MOST_COMMANDS = 160
};

/* var x = buffer[...], of device memory. */
static bool is_access(const KernelCmd *command)
{
    return command->kind == KERNEL_DECLARE && command->value != NULL &&
           command->value->kind == KERNEL_LOAD &&
           command->value->as.load.buffer->space == KERNEL_GLOBAL;
}

static bool is_plain(const KernelCmd *command)
{
    return (command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN) &&
           !slices_loads(command->value);
}

/* What is read of one array. */
typedef struct Access {
    const KernelExp *step, *index; /* of the first row */
} Access;

/* The step where the access may be part of a wider one; else NULL. */
static const KernelExp *step_of(Lower *L, const KernelCmd *access, const KernelExp *row)
{
    const KernelExp *index = access->value->as.load.index;
    const KernelExp *step = slices_loads(index) ? NULL : lower_step(L, index, row->as.variable);
    return step != NULL && lower_is_bit(L, step) ? step : NULL;
}

static const KernelExp *fits(Lower *L, size_t count, const Access *places, size_t rows)
{
    const KernelExp *all = kernel_constant(L->c, core_bool(true));
    const KernelExp *mask = lower_number(L, (int64_t)rows - 1);
    for (size_t k = 0; k < count; k++) {
        const KernelExp *low = lower_op(L, CORE_AND, places[k].index, mask);
        const KernelExp *one = lower_op(L, CORE_EQ, places[k].step, lower_number(L, 1));
        all = lower_op(L, CORE_AND, all, lower_op(L, CORE_EQ, low, lower_number(L, 0)));
        all = lower_op(L, CORE_AND, all, one);
    }
    return lower_let(L, "fits", all);
}

WideRows lower_wide_rows(Lower *L, KernelBlock row, const KernelExp *first, unsigned last)
{
    WideRows none = {.rows = 1}, wide = none;
    Access places[MOST_ARRAYS];
    size_t count = 0;
    unsigned widest = 0;
    for (size_t i = 0; i < row.count; i++) {
        const KernelCmd *command = row.commands[i];
        const KernelExp *step = is_access(command) ? step_of(L, command, first) : NULL;
        if (step == NULL ? !is_plain(command) : count == MOST_ARRAYS) {
            return none;
        }
        if (step == NULL || kernel_is_i64(step, 0)) {
            continue;
        }
        places[count].step = lower_resolve(L, step, last);
        places[count].index = lower_resolve(L, command->value->as.load.index, last);
        if (places[count].step == NULL || places[count].index == NULL) {
            return none;
        }
        unsigned bytes = core_prim_bytes(command->value->prim);
        widest = widest > bytes ? widest : bytes;
        count++;
    }
    if (count == 0) {
        return none;
    }
    wide.arrays = count;
    wide.rows = BYTES / widest;
    while (wide.rows > 1 && wide.rows * row.count > MOST_COMMANDS) {
        wide.rows /= 2;
    }
    wide.fits = wide.rows > 1 ? fits(L, count, places, wide.rows) : NULL;
    return wide;
}

/* The accesses among commands begin .. end that are parts of wider ones. */
static size_t parts_of(Lower *L, size_t begin, size_t end, const KernelExp *first,
                       const KernelCmd **parts)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        const KernelCmd *command = L->b->commands.items[i];
        const KernelExp *step = is_access(command) ? step_of(L, command, first) : NULL;
        if (step != NULL && !kernel_is_i64(step, 0)) {
            parts[count++] = command;
        }
    }
    return count;
}

/* Each row reads the same arrays in the same order. */
static bool is_regular(size_t count, size_t arrays, const KernelCmd *const *parts)
{
    for (size_t k = arrays; k < count; k++) {
        if (parts[k]->value->as.load.buffer != parts[k - arrays]->value->as.load.buffer) {
            return false;
        }
    }
    return true;
}

void lower_wide_join(Lower *L, const WideRows *wide, size_t begin, const KernelExp *first)
{
    size_t end = L->b->commands.count, length = end - begin;
    const KernelCmd **parts = ARENA_ARRAY(L->c->arena, const KernelCmd *, length + 1);
    size_t count = parts_of(L, begin, end, first, parts), arrays = count / wide->rows;
    const KernelCmd **commands =
        arena_copy(L->c->arena, L->b->commands.items + begin, length * sizeof *commands);
    size_t met = 0;
    if (count != arrays * wide->rows || arrays != wide->arrays ||
        !is_regular(count, arrays, parts)) {
        return; /* as they are, they read the same */
    }
    L->b->commands.count = begin;
    for (size_t i = 0; i < length; i++) {
        if (met == count || commands[i] != parts[met]) {
            kernel_add(L->b, commands[i]);
            continue;
        }
        KernelVariable **scalars = ARENA_ARRAY(L->c->arena, KernelVariable *, wide->rows);
        for (size_t j = 0; met < arrays && j < wide->rows; j++) {
            scalars[j] = parts[met + j * arrays]->variable;
        }
        if (met < arrays) {
            kernel_declare_wide(L->b, wide->rows, scalars, commands[i]->value->as.load.buffer,
                                commands[i]->value->as.load.index);
        }
        met++;
    }
}
