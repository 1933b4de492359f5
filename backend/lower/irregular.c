/* Scatter, and what it shares with hist: each row of vs with an index inside d is stored there, in d's
   own memory; where indices coincide any of the rows stays. */
#include "backend/lower/lower.h"

/* One row of an array: a scalar or a reader. */
Value lower_row_value(Lower *L, const Reader *array, const KernelExp *index)
{
    Value value = {0};
    if (array->rank == 1) {
        value.scalar = lower_let(L, "x", lower_read(L, array, &index));
    } else {
        value.array = lower_row(L, array, 1, &index);
    }
    return value;
}

/* body(L, context, i) for every i < count: as a grid where that can be, else as a loop. */
void lower_for_each(Lower *L, const char *kind, const char *text, const KernelExp *count,
                    void (*body)(Lower *L, void *context, const KernelExp *index), void *context)
{
    if (!L->in_kernel && L->target == KERNEL_PARALLEL) {
        LowerKernel kernel;
        lower_kernel_begin(L, &kernel, false);
        body(L, context, kernel_use(L->c, kernel.index));
        if (lower_kernel_end(L, &kernel, kind, text, count)) {
            return;
        }
    }
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", count);
    body(L, context, loop.index);
    lower_loop_end(L, &loop);
}

/* ---- scatter ------------------------------------------------------------------------ */

/* What is read while destinations are written must not be their memory. */
static const Reader *apart_from(Lower *L, const Targets *targets, const Reader *reader)
{
    for (size_t k = 0; k < targets->count; k++) {
        if (lower_reaches(reader, targets->targets[k]->buffer)) {
            const Reader *place =
                lower_allocate(L, "saved", reader->prim, reader->rank, reader->shape);
            Value value = {.array = reader};
            lower_assign(L, place, value, "saved");
            return place;
        }
    }
    return reader;
}

Targets lower_targets(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Targets targets = {.exp = exp, .count = exp->as.scatter.count};
    targets.targets = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    targets.values = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    for (size_t k = 0; k < targets.count; k++) {
        const Reader *target = lower_array(L, exp->as.scatter.destinations[k]);
        if (!lower_is_writable(target)) {
            const Reader *place = lower_place(L, stm->pattern[k]);
            Value old = {.array = target};
            lower_assign(L, place, old, stm->pattern[k]->text);
            target = place;
        }
        Reader *plain = ARENA_NEW(L->c->arena, Reader);
        *plain = *target;
        plain->items = NULL;
        targets.targets[k] = plain;
    }
    for (size_t k = 0; k < targets.count; k++) {
        targets.values[k] = apart_from(L, &targets, lower_array(L, exp->as.scatter.values[k]));
    }
    targets.indices = apart_from(L, &targets, lower_array(L, exp->as.scatter.indices));
    return targets;
}

/* Whether the index is inside destination 0; all have the same number of rows. */
const KernelExp *lower_is_inside(Lower *L, const Targets *targets, const KernelExp *at)
{
    const KernelExp *extent = targets->targets[0]->shape[0];
    return kernel_binary(L->c, CORE_AND, kernel_binary(L->c, CORE_GE, at, lower_number(L, 0)),
                         kernel_binary(L->c, CORE_LT, at, extent));
}

static void scatter_row(Lower *L, void *context, const KernelExp *index)
{
    const Targets *targets = context;
    LowerLoop block;
    const KernelExp *at =
        lower_let(L, "at", kernel_convert(L->c, CORE_I64, lower_read(L, targets->indices, &index)));
    lower_block_begin(L, &block);
    for (size_t k = 0; k < targets->count; k++) {
        lower_assign(L, lower_row(L, targets->targets[k], 1, &at),
                     lower_row_value(L, targets->values[k], index), "scatter");
    }
    KernelBlock store = lower_block_end(L, &block);
    for (size_t k = 0; k < targets->count; k++) {
        kernel_mark_scattered(store, targets->targets[k]->buffer);
    }
    kernel_if(L->b, lower_is_inside(L, targets, at), store, (KernelBlock){0});
}

void lower_bind_targets(Lower *L, const CoreStm *stm, const Targets *targets)
{
    for (size_t k = 0; k < targets->count; k++) {
        lower_bind_array(L, stm->pattern[k], targets->targets[k]);
    }
}

typedef struct ScatterLoop {
    Targets *targets;
    const KernelExp *width;
} ScatterLoop;

static void scatter_loop(Lower *L, void *context)
{
    ScatterLoop *scatter = context;
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", scatter->width);
    scatter_row(L, scatter->targets, loop.index);
    lower_loop_end(L, &loop);
}

void lower_scatter(Lower *L, const CoreStm *stm)
{
    Targets targets = lower_targets(L, stm);
    ScatterLoop scatter = {&targets, lower_scalar(L, stm->exp->as.scatter.width)};
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    if (on_host && stm->exp->level == CORE_SEQ &&
        lower_single_item(L, "scatter", stm->pattern[0]->text, scatter_loop, &scatter)) {
        lower_bind_targets(L, stm, &targets);
        return;
    }
    lower_for_each(L, "scatter", stm->pattern[0]->text, lower_scalar(L, stm->exp->as.scatter.width),
                   scatter_row, &targets);
    lower_bind_targets(L, stm, &targets);
}
