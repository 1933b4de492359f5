/* Reductions as one kernel [REDO 4]: chunked per work-item, then a tree in local memory, then, by
   the group that comes last, the same over the groups' results.

       GROUP g < groups {
           LOCAL { total = neutral
                   SEQ over this work-item's rows { ...; total = total op x }
                   local[l] = total }
           BARRIER
           LOCAL { if l < 16 { local[16*l] = local[16*l] op local[16*l + 1] op ... } }
           BARRIER
           LOCAL { if l == 0 { partial[g] = local[0] op local[16] op ... } }
           ARRIVE last
           LOCAL { local[l] = this work-item's share of partial, if last, else neutral }
           the tree again, to the result if last
       }

   All groups go through all of it, so that barriers are met by all work-items.

   The tree has 16 branches a node, so that it is two steps deep and every kernel is short; it keeps
   the order of the operands, and the operator needs to be associative only. Work-items take every
   n-th row where all operators are commutative (neighbours read neighbours), else a contiguous
   chunk. */
#include "backend/lower/lower.h"

enum {
    BRANCHES = 16,
    ROWS_OF_ITEM = 4, /* at least, where a row is quick */
    MOST_GROUPS = 1024,
    MOST_HEAVY_GROUPS = 8192 /* where it is a loop: finer shares are more even */
};
_Static_assert(BRANCHES *BRANCHES == KERNEL_GROUP_SIZE, "two steps reduce a group");

/* One accumulated scalar of one of the reductions. */
typedef struct Component {
    CorePrim prim;
    const char *text;
    const KernelExp *neutral;
    KernelVariable *local, *partial, *result;
} Component;

typedef struct GroupReduction {
    size_t reduction_count;
    const CoreReduction *reductions;
    size_t count; /* of components */
    Component *components;
} GroupReduction;

bool lower_scalar_operator(const CoreReduction *reduction)
{
    for (size_t k = 0; k < lower_width(reduction); k++) {
        if (reduction->function->result_types[k].rank > 0) {
            return false;
        }
    }
    return true;
}

static const KernelExp *op(Lower *L, CoreOperator which, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, which, x, y);
}

static const KernelExp *number(Lower *L, int64_t value)
{
    return kernel_i64(L->c, value);
}

static KernelVariable *component_buffer(Lower *L, const Component *component, KernelSpace space)
{
    return kernel_variable(L->c, component->text, component->prim, space, L->b->span);
}

static void find_components(Lower *L, GroupReduction *reduction)
{
    for (size_t r = 0; r < reduction->reduction_count; r++) {
        reduction->count += lower_width(&reduction->reductions[r]);
    }
    reduction->components = ARENA_ARRAY(L->c->arena, Component, reduction->count + 1);
    for (size_t r = 0, at = 0; r < reduction->reduction_count; r++) {
        const CoreReduction *one = &reduction->reductions[r];
        for (size_t k = 0; k < lower_width(one); k++, at++) {
            Component *component = &reduction->components[at];
            component->prim = lower_prim(one->function->result_types[k].prim);
            component->text = one->function->parameters[k]->text;
            component->neutral = lower_scalar(L, one->neutral[k]);
        }
    }
}

/* Accumulators that begin with local[at]. */
static Accumulator *accumulators_from(Lower *L, const GroupReduction *reduction,
                                      const KernelExp *at)
{
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        accumulators[k].scalar = component_buffer(L, component, KERNEL_SCALAR);
        kernel_declare(L->b, accumulators[k].scalar, kernel_load(L->c, component->local, at));
    }
    return accumulators;
}

/* accumulators = accumulators op local[first + step] op local[first + 2 * step] ... , 15 of them */
static void accumulate_branches(Lower *L, const GroupReduction *reduction,
                                Accumulator *accumulators, const KernelExp *first, int64_t step)
{
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "t", number(L, BRANCHES - 1));
    const KernelExp *branch = op(L, CORE_ADD, loop.index, number(L, 1));
    const KernelExp *distance = op(L, CORE_MUL, branch, number(L, step));
    const KernelExp *at = lower_let(L, "at", op(L, CORE_ADD, first, distance));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        operands[k].scalar = lower_let(L, component->text, kernel_load(L->c, component->local, at));
    }
    for (size_t r = 0, k = 0; r < reduction->reduction_count; r++) {
        lower_accumulate(L, &reduction->reductions[r], accumulators + k, operands + k);
        k += lower_width(&reduction->reductions[r]);
    }
    lower_loop_end(L, &loop);
}

/* One step of the tree: work-items below `active` combine 16 values each, `step` apart, beginning
   at l * 16 * step; the result goes to places[k][index], if the guard (NULL: always) holds, or back
   to where it begins. */
static void reduce_step(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                        int64_t active, int64_t step, KernelVariable *const *places,
                        const KernelExp *index, const KernelExp *guard)
{
    LowerLoop local, block;
    kernel_barrier(L->b);
    lower_local_begin(L, kernel, &local);
    lower_block_begin(L, &block);
    const KernelExp *first = number(L, 0);
    if (active > 1) {
        first = op(L, CORE_MUL, local.index, number(L, BRANCHES * step));
        first = lower_let(L, "first", first);
    }
    Accumulator *accumulators = accumulators_from(L, reduction, first);
    accumulate_branches(L, reduction, accumulators, first, step);
    for (size_t k = 0; k < reduction->count; k++) {
        const KernelExp *value = lower_accumulated(L, &accumulators[k]).scalar;
        if (places == NULL) {
            kernel_store(L->b, reduction->components[k].local, first, value);
        } else {
            kernel_store(L->b, places[k], index, value);
        }
    }
    KernelBlock combine = lower_block_end(L, &block);
    const KernelExp *works = op(L, CORE_LT, local.index, number(L, active));
    works = guard ? op(L, CORE_AND, works, guard) : works;
    kernel_if(L->b, works, combine, (KernelBlock){0});
    lower_local_end(L, kernel, &local);
}

/* The 256 values in local memory, combined in their order, go to places[k][index]. */
static void reduce_local(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                         KernelVariable *const *places, const KernelExp *index,
                         const KernelExp *guard)
{
    reduce_step(L, kernel, reduction, BRANCHES, 1, NULL, NULL, NULL);
    reduce_step(L, kernel, reduction, 1, BRANCHES, places, index, guard);
}

static void declare_locals(Lower *L, GroupReduction *reduction)
{
    for (size_t k = 0; k < reduction->count; k++) {
        reduction->components[k].local =
            component_buffer(L, &reduction->components[k], KERNEL_LOCAL);
        kernel_declare_buffer(L->b, reduction->components[k].local, KERNEL_GROUP_SIZE);
    }
}

/* ---- rows to one value a group ---------------------------------------------------
 */

typedef struct RowsOfItem {
    const KernelExp *first, *count, *step;
} RowsOfItem;

static RowsOfItem rows_of_item(Lower *L, const KernelExp *item, const KernelExp *items,
                               const KernelExp *width, bool in_order)
{
    RowsOfItem rows;
    const KernelExp *less = op(L, CORE_SUB, items, number(L, 1));
    if (in_order) {
        const KernelExp *chunk =
            lower_let(L, "chunk", kernel_divide(L->c, op(L, CORE_ADD, width, less), items));
        rows.first = lower_let(L, "first", op(L, CORE_MUL, item, chunk));
        rows.count = op(L, CORE_MIN, chunk, op(L, CORE_SUB, width, rows.first));
        rows.step = number(L, 1);
    } else {
        rows.first = item;
        rows.step = items;
        const KernelExp *left = op(L, CORE_ADD, op(L, CORE_SUB, width, item), less);
        rows.count = kernel_divide(L->c, left, items);
    }
    rows.count = lower_let(L, "count", rows.count);
    return rows;
}

/* `alone`: the rows are shared out within each group, not among all groups. */
static void reduce_rows(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                        GroupReduction *reduction, LowerKernel *kernel, const KernelExp *width,
                        bool in_order, bool alone)
{
    LowerLoop local, loop;
    declare_locals(L, reduction);
    lower_local_begin(L, kernel, &local);
    const KernelExp *item = alone ? local.index : kernel->frame.item;
    const KernelExp *items =
        alone ? number(L, KERNEL_GROUP_SIZE) : kernel_use(L->c, kernel->frame.items);
    RowsOfItem rows = rows_of_item(L, item, items, width, in_order);
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, reduction->count + 1);
    for (size_t r = 0, at = 0; r < soac->reduction_count; r++) {
        lower_accumulators(L, &soac->reductions[r], accumulators + at);
        at += lower_width(&soac->reductions[r]);
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "t", rows.count);
    const KernelExp *row =
        lower_let(L, "i", op(L, CORE_ADD, rows.first, op(L, CORE_MUL, loop.index, rows.step)));
    lower_is_row(row, width);
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, row);
    Value *results = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = reduction->count; k < stm->pattern_count; k++) {
        wanted[k] = lower_row(L, lower_place(L, stm->pattern[k]), 1, &row);
    }
    lower_body(L, soac->map->body, wanted, results);
    for (size_t r = 0, at = 0; r < soac->reduction_count; r++) {
        lower_accumulate(L, &soac->reductions[r], accumulators + at, results + at);
        at += lower_width(&soac->reductions[r]);
    }
    lower_loop_end(L, &loop);
    for (size_t k = 0; k < reduction->count; k++) {
        kernel_store(L->b, reduction->components[k].local, local.index,
                     lower_accumulated(L, &accumulators[k]).scalar);
    }
    lower_local_end(L, kernel, &local);
}

/* ---- groups to the result ----------------------------------------------------------------------
 */

/* Each work-item of the last group takes a share of the groups' values, in their order; those of
   other groups take none. */
static void reduce_partials(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                            const CoreSoac *soac, const KernelExp *groups)
{
    LowerLoop local, loop;
    KernelVariable *last = kernel_variable(L->c, "last", CORE_BOOL, KERNEL_LOCAL, L->b->span);
    KernelVariable **results = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction->count + 1);
    kernel_declare_buffer(L->b, last, 1);
    kernel_arrive(L->b, last);
    const KernelExp *is_last = kernel_load(L->c, last, number(L, 0));
    lower_local_begin(L, kernel, &local);
    RowsOfItem rows = rows_of_item(L, local.index, number(L, KERNEL_GROUP_SIZE), groups, true);
    const KernelExp *count = kernel_select(L->c, is_last, rows.count, number(L, 0));
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, reduction->count + 1);
    for (size_t r = 0, at = 0; r < soac->reduction_count; r++) {
        lower_accumulators(L, &soac->reductions[r], accumulators + at);
        at += lower_width(&soac->reductions[r]);
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_let(L, "count", count));
    const KernelExp *group = lower_let(L, "g", op(L, CORE_ADD, rows.first, loop.index));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        operands[k].scalar =
            lower_let(L, component->text, kernel_load(L->c, component->partial, group));
    }
    for (size_t r = 0, at = 0; r < soac->reduction_count; r++) {
        lower_accumulate(L, &soac->reductions[r], accumulators + at, operands + at);
        at += lower_width(&soac->reductions[r]);
    }
    lower_loop_end(L, &loop);
    for (size_t k = 0; k < reduction->count; k++) {
        results[k] = reduction->components[k].result;
        kernel_store(L->b, reduction->components[k].local, local.index,
                     lower_accumulated(L, &accumulators[k]).scalar);
    }
    lower_local_end(L, kernel, &local);
    reduce_local(L, kernel, reduction, results, number(L, 0), is_last);
}

static KernelVariable *device_buffer(Lower *L, const Component *component, const KernelExp *count)
{
    KernelVariable *buffer = component_buffer(L, component, KERNEL_GLOBAL);
    kernel_allocate(L->b, buffer, count);
    return buffer;
}

static void find_loop(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        *found = kind == CORE_EXP_LOOP || kind == CORE_EXP_SOAC;
        core_each_body(body->stms[i]->exp, find_loop, found);
    }
}

/* Groups that so many rows are worth: 1 .. MOST_GROUPS. */
static const KernelExp *worthwhile_groups(Lower *L, const CoreSoac *soac, const KernelExp *width)
{
    bool heavy = false;
    find_loop(&heavy, soac->map->body);
    int64_t rows = (heavy ? 1 : ROWS_OF_ITEM) * KERNEL_GROUP_SIZE;
    const KernelExp *groups =
        kernel_divide(L->c, op(L, CORE_ADD, width, number(L, rows - 1)), number(L, rows));
    groups = op(L, CORE_MIN, groups, number(L, heavy ? MOST_HEAVY_GROUPS : MOST_GROUPS));
    return lower_let(L, "groups", op(L, CORE_MAX, groups, number(L, 1)));
}

static bool is_in_order(const CoreSoac *soac)
{
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!soac->reductions[r].commutative) {
            return true;
        }
    }
    return false;
}

int64_t lower_reduce_in_group(Lower *L, LowerKernel *kernel, const CoreStm *stm,
                              const CoreSoac *soac)
{
    GroupReduction reduction = {.reduction_count = soac->reduction_count,
                                .reductions = soac->reductions};
    find_components(L, &reduction);
    reduce_rows(L, stm, soac, &reduction, kernel, lower_scalar(L, soac->width), is_in_order(soac),
                true);
    KernelVariable **slots = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction.count + 1);
    for (size_t k = 0; k < reduction.count; k++) {
        slots[k] = component_buffer(L, &reduction.components[k], KERNEL_LOCAL);
        kernel_declare_buffer(L->b, slots[k], 1);
    }
    reduce_local(L, kernel, &reduction, slots, number(L, 0), NULL);
    kernel_barrier(L->b);
    for (size_t k = 0; k < reduction.count; k++) {
        lower_bind_scalar(L, stm->pattern[k], kernel_load(L->c, slots[k], number(L, 0)));
    }
    for (size_t k = reduction.count; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
    }
    return (int64_t)reduction.count * 8 * (KERNEL_GROUP_SIZE + 1);
}

bool lower_reduce_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    bool in_order = is_in_order(soac);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!lower_scalar_operator(&soac->reductions[r])) {
            return false;
        }
    }
    GroupReduction reduction = {.reduction_count = soac->reduction_count,
                                .reductions = soac->reductions};
    find_components(L, &reduction);
    const KernelExp *width = lower_scalar(L, soac->width);
    const KernelExp *groups = worthwhile_groups(L, soac, width);
    KernelVariable **partials = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction.count + 1);
    for (size_t k = 0; k < reduction.count; k++) {
        Component *component = &reduction.components[k];
        partials[k] = component->partial = device_buffer(L, component, groups);
        component->result = device_buffer(L, component, number(L, 1));
    }
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    reduce_rows(L, stm, soac, &reduction, &kernel, width, in_order, false);
    reduce_local(L, &kernel, &reduction, partials, kernel_use(L->c, kernel.index), NULL);
    reduce_partials(L, &kernel, &reduction, soac, groups);
    bool is_kernel = lower_kernel_end(L, &kernel, "reduce", stm->pattern[0]->text, groups);
    for (size_t k = 0; k < reduction.count; k++) {
        KernelVariable *result = reduction.components[k].result;
        kernel_release(L->b, partials[k]);
        if (is_kernel) {
            lower_bind_scalar(L, stm->pattern[k], kernel_load(L->c, result, number(L, 0)));
        }
        kernel_release(L->b, result);
    }
    if (!is_kernel) {
        return false;
    }
    for (size_t k = reduction.count; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
    }
    return true;
}
