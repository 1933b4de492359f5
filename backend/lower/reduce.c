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
   the order of the operands, and the operator needs to be associative only.

   Neighbours read neighbours: where all operators are commutative, groups take tiles of rows in
   turn, and a work-item reads several rows before it needs the first (tiles.c); where they are
   not, rows pass through local memory (ordered.c). Rows that are more than a few scalar operations
   are folded one after the other: every n-th row, or a contiguous chunk where order matters. */
#include "backend/lower/processor.h"

enum {
    ROWS_OF_ITEM = 4,         /* at least, where a row is quick */
    MOST_AHEAD_GROUPS = 1024, /* where rows are read ahead */
    MANY_GROUPS = 2048,       /* of so many rows each: */
    ROWS_OF_MANY = 1 << 14,
    MOST_UNEVEN_GROUPS = 8192, /* where rows differ in what they cost: finer shares are more even */
    PARTIALS_AT_A_TIME = 8,    /* of the groups' results, by a work-item of the last group */
    FEWEST_GROUPS = 64,        /* on the smallest device, where there is work for them */
};

bool lower_scalar_operator(const CoreReduction *reduction)
{
    for (size_t k = 0; k < lower_width(reduction); k++) {
        if (reduction->function->result_types[k].rank > 0) {
            return false;
        }
    }
    return true;
}

KernelVariable *lower_component_buffer(Lower *L, const Component *component, KernelSpace space)
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
        accumulators[k].scalar = lower_component_buffer(L, component, KERNEL_SCALAR);
        kernel_declare(L->b, accumulators[k].scalar, kernel_load(L->c, component->local, at));
    }
    return accumulators;
}

void lower_accumulate_local(Lower *L, const GroupReduction *reduction, Accumulator *accumulators,
                            const KernelExp *first, int64_t step, int64_t count)
{
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, count));
    const KernelExp *branch = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
    const KernelExp *distance = lower_op(L, CORE_MUL, branch, lower_number(L, step));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, first, distance));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        operands[k].scalar = lower_let(L, component->text, kernel_load(L->c, component->local, at));
    }
    lower_accumulate_all(L, reduction->reduction_count, reduction->reductions, accumulators,
                         operands);
    lower_loop_end(L, &loop);
}

/* One step of the tree: work-items below `active` combine the values of so many `branches` each: those of branch l, or, the
   last one, the first of each branch; the result goes to places[k][index] (NULL: its slot), if the guard (NULL:
   always) holds, or back to where it begins. */
static void reduce_step(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                        int64_t branches, int64_t active, KernelVariable *const *places,
                        const KernelExp *index, const KernelExp *guard)
{
    const int64_t step = active > 1 ? 1 : branches + 1;
    LowerLoop local, block;
    kernel_barrier(L->b);
    lower_local_begin(L, kernel, &local);
    lower_block_begin(L, &block);
    const KernelExp *first = lower_number(L, 0);
    if (active > 1) {
        first = lower_op(L, CORE_MUL, local.index, lower_number(L, branches + 1));
        first = lower_let(L, "first", first);
    }
    Accumulator *accumulators = accumulators_from(L, reduction, first);
    lower_accumulate_local(L, reduction, accumulators, first, step, branches - 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const KernelExp *value = lower_accumulated(L, &accumulators[k]).scalar;
        if (places == NULL) {
            kernel_store(L->b, reduction->components[k].local, first, value);
        } else {
            const KernelExp *slot = lower_number(L, reduction->components[k].slot);
            kernel_store(L->b, places[k], index != NULL ? index : slot, value);
        }
    }
    KernelBlock combine = lower_block_end(L, &block);
    const KernelExp *works = lower_op(L, CORE_LT, local.index, lower_number(L, active));
    works = guard ? lower_op(L, CORE_AND, works, guard) : works;
    kernel_if(L->b, works, combine, (KernelBlock){0});
    lower_local_end(L, kernel, &local);
}

/* The values in local memory, one of each work-item, combined in their order, go to places[k][index]. */
static void reduce_local(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                         KernelVariable *const *places, const KernelExp *index,
                         const KernelExp *guard)
{
    const int64_t branches = lower_branches(kernel->lanes);
    reduce_step(L, kernel, reduction, branches, branches, NULL, NULL, NULL);
    reduce_step(L, kernel, reduction, branches, 1, places, index, guard);
}

void lower_reduce_declare(Lower *L, GroupReduction *reduction, int64_t lanes)
{
    reduction->lanes = lanes;
    for (size_t k = 0; k < reduction->count; k++) {
        reduction->components[k].local =
            lower_component_buffer(L, &reduction->components[k], KERNEL_LOCAL);
        kernel_declare_buffer(L->b, reduction->components[k].local, lanes + lower_branches(lanes));
    }
}

/* ---- rows to one value a group --------------------------------------------------------------- */

RowsOfItem lower_rows_of_item(Lower *L, const KernelExp *item, const KernelExp *items,
                              const KernelExp *width, bool in_order)
{
    RowsOfItem rows;
    const KernelExp *less = lower_op(L, CORE_SUB, items, lower_number(L, 1));
    if (in_order) {
        const KernelExp *chunk =
            lower_let(L, "chunk", kernel_divide(L->c, lower_op(L, CORE_ADD, width, less), items));
        rows.first = lower_let(L, "first", lower_op(L, CORE_MUL, item, chunk));
        rows.count = lower_op(L, CORE_MIN, chunk, lower_op(L, CORE_SUB, width, rows.first));
        rows.step = lower_number(L, 1);
    } else {
        rows.first = item;
        rows.step = items;
        const KernelExp *left = lower_op(L, CORE_ADD, lower_op(L, CORE_SUB, width, item), less);
        rows.count = kernel_divide(L->c, left, items);
    }
    rows.count = lower_let(L, "count", rows.count);
    return rows;
}

RowFold lower_fold_begin(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                         const GroupReduction *reduction)
{
    return (RowFold){stm, soac, reduction,
                     lower_all_accumulators(L, soac->reduction_count, soac->reductions)};
}

void lower_fold_bound(Lower *L, const RowFold *fold, const KernelExp *row)
{
    const CoreStm *stm = fold->stm;
    const CoreSoac *soac = fold->soac;
    Value *results = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = fold->reduction->count; k < stm->pattern_count; k++) {
        wanted[k] = lower_row(L, lower_place(L, stm->pattern[k]), 1, &row);
    }
    lower_body_of_row(L, row, soac->map->body, wanted, results);
    lower_accumulate_all(L, soac->reduction_count, soac->reductions, fold->accumulators, results);
}

void lower_fold_row(Lower *L, const RowFold *fold, const KernelExp *row)
{
    const CoreSoac *soac = fold->soac;
    lower_is_row(row, lower_scalar(L, soac->width));
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, row);
    lower_fold_bound(L, fold, row);
}

void lower_fold_end(Lower *L, const RowFold *fold, const KernelExp *l)
{
    const KernelExp *lane = lower_lane(L, l, fold->reduction->lanes);
    for (size_t k = 0; k < fold->reduction->count; k++) {
        kernel_store(L->b, fold->reduction->components[k].local, lane,
                     lower_accumulated(L, &fold->accumulators[k]).scalar);
    }
}

/* A row of a strip. */
static void fold_element(Lower *L, void *context, const KernelExp *first, size_t number,
                         const Value *results)
{
    (void)first;
    (void)number;
    const RowFold *fold = context;
    lower_accumulate_all(L, fold->soac->reduction_count, fold->soac->reductions, fold->accumulators,
                         results);
}

static void fold_single(Lower *L, void *context, const KernelExp *index)
{
    lower_fold_row(L, context, index);
}

/* `alone`: the rows are shared out within each group, not among all groups. `strip`: several of them
   at a time; or NULL. */
static void reduce_rows(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                        GroupReduction *reduction, LowerKernel *kernel, const KernelExp *width,
                        bool in_order, bool alone, const CoreStrip *strip)
{
    LowerLoop local, loop;
    lower_reduce_declare(L, reduction, kernel->lanes);
    lower_local_begin(L, kernel, &local);
    const KernelExp *item = alone ? local.index : kernel->frame.item;
    const KernelExp *items =
        alone ? lower_number(L, kernel->lanes) : kernel_use(L->c, kernel->frame.items);
    RowFold fold = lower_fold_begin(L, stm, soac, reduction);
    const KernelExp *count = width;
    if (strip != NULL) {
        count = lower_strip_count(L, strip, width);
    }
    RowsOfItem rows = lower_rows_of_item(L, item, items, count, in_order);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", rows.count);
    const KernelExp *row =
        lower_let(L, strip != NULL ? "s" : "i",
                  lower_op(L, CORE_ADD, rows.first, lower_op(L, CORE_MUL, loop.index, rows.step)));
    if (strip != NULL) {
        StripUse use = {fold_element, fold_single, &fold};
        lower_strip_of_rows(L, strip, row, width, &use);
    } else {
        lower_fold_row(L, &fold, row);
    }
    lower_loop_end(L, &loop);
    lower_fold_end(L, &fold, local.index);
    lower_local_end(L, kernel, &local);
}

/* ---- groups to the result -------------------------------------------------------------------- */

Accumulator *lower_fold_partials(Lower *L, const GroupReduction *reduction, const RowsOfItem *rows,
                                 unsigned at_a_time)
{
    LowerLoop loop;
    Accumulator *accumulators =
        lower_all_accumulators(L, reduction->reduction_count, reduction->reductions);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_let(L, "count", rows->count));
    loop.written_out = at_a_time;
    const KernelExp *group = lower_let(
        L, "g", lower_op(L, CORE_ADD, rows->first, lower_op(L, CORE_MUL, loop.index, rows->step)));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        operands[k].scalar =
            lower_let(L, component->text, kernel_load(L->c, component->partial, group));
    }
    lower_accumulate_all(L, reduction->reduction_count, reduction->reductions, accumulators,
                         operands);
    lower_loop_end(L, &loop);
    return accumulators;
}

void lower_leave_total(Lower *L, const GroupReduction *reduction, size_t k, const KernelExp *group,
                       const KernelExp *total)
{
    const Component *component = &reduction->components[k];
    bool alone = component->partial == NULL;
    kernel_store(L->b, alone ? component->result : component->partial,
                 alone ? lower_number(L, component->slot) : group, total);
}

void lower_fold_groups(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                       const KernelExp *groups)
{
    LowerLoop local, block;
    KernelVariable *last = kernel_variable(L->c, "last", CORE_BOOL, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, last, 1);
    kernel_arrive(L->b, last);
    lower_local_begin(L, kernel, &local);
    lower_block_begin(L, &block);
    const RowsOfItem partials = {lower_number(L, 0), groups, lower_number(L, 1)};
    Accumulator *all = lower_fold_partials(L, reduction, &partials, 0);
    for (size_t k = 0; k < reduction->count; k++) {
        kernel_store(L->b, reduction->components[k].result,
                     lower_number(L, reduction->components[k].slot),
                     lower_accumulated(L, &all[k]).scalar);
    }
    KernelBlock fold = lower_block_end(L, &block);
    kernel_if(L->b, kernel_load(L->c, last, lower_number(L, 0)), fold, (KernelBlock){0});
    lower_local_end(L, kernel, &local);
}

static bool is_in_order(size_t count, const CoreReduction *reductions)
{
    for (size_t r = 0; r < count; r++) {
        if (!core_commutes(&reductions[r])) {
            return true;
        }
    }
    return false;
}

/* Each work-item of the last group takes a share of the groups' values, in their order where that
   matters, else as neighbours read neighbours; those of other groups take none. */
static void reduce_partials(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                            const KernelExp *groups)
{
    LowerLoop local;
    KernelVariable *last = kernel_variable(L->c, "last", CORE_BOOL, KERNEL_LOCAL, L->b->span);
    KernelVariable **results = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction->count + 1);
    kernel_declare_buffer(L->b, last, 1);
    kernel_arrive(L->b, last);
    const KernelExp *is_last = kernel_load(L->c, last, lower_number(L, 0));
    lower_local_begin(L, kernel, &local);
    RowsOfItem rows =
        lower_rows_of_item(L, local.index, lower_number(L, kernel->lanes), groups,
                           is_in_order(reduction->reduction_count, reduction->reductions));
    rows.count = kernel_select(L->c, is_last, rows.count, lower_number(L, 0));
    Accumulator *accumulators = lower_fold_partials(L, reduction, &rows, PARTIALS_AT_A_TIME);
    const KernelExp *lane = lower_lane(L, local.index, reduction->lanes);
    for (size_t k = 0; k < reduction->count; k++) {
        results[k] = reduction->components[k].result;
        kernel_store(L->b, reduction->components[k].local, lane,
                     lower_accumulated(L, &accumulators[k]).scalar);
    }
    lower_local_end(L, kernel, &local);
    reduce_local(L, kernel, reduction, results, NULL, is_last);
}

static KernelVariable *device_buffer(Lower *L, const Component *component, const KernelExp *count)
{
    KernelVariable *buffer = lower_component_buffer(L, component, KERNEL_GLOBAL);
    kernel_allocate(L->b, buffer, count);
    return buffer;
}

/* A buffer for all results of a type. */
static void allocate_results(Lower *L, GroupReduction *reduction)
{
    for (size_t k = 0; k < reduction->count; k++) {
        Component *component = &reduction->components[k];
        int64_t count = 0;
        for (size_t j = 0; j < reduction->count; j++) {
            Component *other = &reduction->components[j];
            if (other->prim == component->prim) {
                component->slot = j == k ? count : component->slot;
                component->result = count == 0 && j < k ? other->result : component->result;
                count++;
            }
        }
        if (component->slot == 0) {
            component->result = device_buffer(L, component, lower_number(L, count));
        }
    }
}

/* Work-items of a group, the values of all of which are in local memory: few where there is no room for those of many, 0 where
   there is none for those of few. */
static int64_t lanes_of(const CoreSoac *soac)
{
    static const int64_t sizes[] = {KERNEL_GROUP_SIZE, LOWER_SMALL_GROUP};
    int64_t bytes = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        const CoreReduction *reduction = &soac->reductions[r];
        for (size_t k = 0; k < lower_width(reduction); k++) {
            bytes += core_prim_bytes(reduction->function->result_types[k].prim);
        }
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (bytes * (sizes[i] + lower_branches(sizes[i])) < LOWER_LOCAL_BYTES) {
            return sizes[i];
        }
    }
    return 0;
}

bool lower_reduces_in_groups(const CoreSoac *soac)
{
    return lanes_of(soac) > 0;
}

/* Groups that run at once: with a few more, the last would keep a part of the device alone. */
static const KernelExp *groups_at_once(Lower *L, int64_t lanes)
{
    const KernelExp *items = lower_device(L, "work_items", CORE_I64);
    return lower_op(L, CORE_MAX, kernel_divide(L->c, items, lower_number(L, lanes)),
                    lower_number(L, FEWEST_GROUPS));
}

/* Groups that so many rows are worth, 1 at least. Where rows are read ahead and there are many of
   them, more groups than run at once keep memory busy to the end. */
static const KernelExp *worthwhile_groups(Lower *L, const CoreSoac *soac, const KernelExp *width,
                                          int64_t lanes, bool ahead)
{
    RowWork work = lower_row_work(L, soac->map);
    int64_t rows = (work.heavy ? 1 : ROWS_OF_ITEM) * lanes;
    const KernelExp *groups = kernel_divide(
        L->c, lower_op(L, CORE_ADD, width, lower_number(L, rows - 1)), lower_number(L, rows));
    bool few = groups->kind == KERNEL_CONSTANT && groups->as.constant.as.integer <= FEWEST_GROUPS;
    groups = lower_op(L, CORE_MIN, groups,
                      work.uneven ? lower_number(L, MOST_UNEVEN_GROUPS)
                      : ahead     ? lower_number(L, MOST_AHEAD_GROUPS)
                      : few       ? groups
                                  : groups_at_once(L, lanes));
    if (ahead) {
        const KernelExp *many = kernel_divide(L->c, width, lower_number(L, ROWS_OF_MANY));
        groups = lower_op(L, CORE_MAX, groups,
                          lower_op(L, CORE_MIN, many, lower_number(L, MANY_GROUPS)));
    }
    return lower_let(L, "groups", lower_op(L, CORE_MAX, groups, lower_number(L, 1)));
}

bool lower_reduces_in_order(const CoreSoac *soac)
{
    return is_in_order(soac->reduction_count, soac->reductions);
}

int64_t lower_reduce_in_group(Lower *L, LowerKernel *kernel, const CoreStm *stm,
                              const CoreSoac *soac)
{
    GroupReduction reduction = {.reduction_count = soac->reduction_count,
                                .reductions = soac->reductions};
    find_components(L, &reduction);
    reduce_rows(L, stm, soac, &reduction, kernel, lower_scalar(L, soac->width),
                lower_reduces_in_order(soac), true, NULL);
    KernelVariable **slots = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction.count + 1);
    for (size_t k = 0; k < reduction.count; k++) {
        slots[k] = lower_component_buffer(L, &reduction.components[k], KERNEL_LOCAL);
        kernel_declare_buffer(L->b, slots[k], 1);
    }
    reduce_local(L, kernel, &reduction, slots, lower_number(L, 0), NULL);
    kernel_barrier(L->b);
    for (size_t k = 0; k < reduction.count; k++) {
        lower_bind_scalar(L, stm->pattern[k], kernel_load(L->c, slots[k], lower_number(L, 0)));
    }
    for (size_t k = reduction.count; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
    }
    return (int64_t)reduction.count * 8 * (kernel->lanes + 1);
}

void lower_reduction_begin(Lower *L, GroupReduction *reduction, const CoreSoac *soac)
{
    *reduction =
        (GroupReduction){.reduction_count = soac->reduction_count, .reductions = soac->reductions};
    find_components(L, reduction);
    allocate_results(L, reduction);
}

void lower_partials_begin(Lower *L, const GroupReduction *reduction, const KernelExp *groups)
{
    for (size_t k = 0; k < reduction->count; k++) {
        Component *component = &reduction->components[k];
        component->partial = kernel_is_i64(groups, 1) ? NULL : device_buffer(L, component, groups);
    }
}

bool lower_is_alone(const GroupReduction *reduction)
{
    return reduction->count > 0 && reduction->components[0].partial == NULL;
}

void lower_partials_end(Lower *L, const GroupReduction *reduction)
{
    for (size_t k = 0; k < reduction->count && !lower_is_alone(reduction); k++) {
        kernel_release(L->b, reduction->components[k].partial);
    }
}

void lower_reduce_finish(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                         const KernelExp *index, const KernelExp *groups)
{
    KernelVariable **places = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction->count + 1);
    bool alone = lower_is_alone(reduction);
    for (size_t k = 0; k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        places[k] = alone ? component->result : component->partial;
    }
    reduce_local(L, kernel, reduction, places, alone ? NULL : index, NULL);
    if (!alone) {
        reduce_partials(L, kernel, reduction, groups);
    }
}

void lower_reduction_end(Lower *L, const CoreStm *stm, const GroupReduction *reduction, bool good)
{
    for (size_t k = 0; good && k < reduction->count; k++) {
        const Component *component = &reduction->components[k];
        lower_bind_scalar(L, stm->pattern[k],
                          kernel_load(L->c, component->result, lower_number(L, component->slot)));
    }
    for (size_t k = 0; k < reduction->count; k++) {
        if (reduction->components[k].slot == 0) {
            kernel_release(L->b, reduction->components[k].result);
        }
    }
}

bool lower_reduce_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    bool in_order = lower_reduces_in_order(soac);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!lower_scalar_operator(&soac->reductions[r])) {
            return false;
        }
    }
    const int64_t lanes = lanes_of(soac);
    if (lanes == 0) {
        return false;
    }
    GroupReduction reduction = {.reduction_count = soac->reduction_count,
                                .reductions = soac->reductions};
    find_components(L, &reduction);
    const KernelExp *width = lower_scalar(L, soac->width);
    OrderedShare share;
    bool is_ordered = in_order && lower_ordered_share(L, stm, soac, &share);
    const CoreStrip *strip = in_order || stm->exp->level != CORE_LEVEL_AUTO
                                 ? NULL
                                 : lower_reduction_strip(L, stm, soac, reduction.count);
    bool ahead =
        !in_order && strip == NULL && lanes == KERNEL_GROUP_SIZE && lower_reads_ahead(L, soac);
    const KernelExp *groups =
        is_ordered ? share.groups : worthwhile_groups(L, soac, width, lanes, ahead);
    lower_partials_begin(L, &reduction, groups);
    allocate_results(L, &reduction);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    kernel.lanes = lanes;
    if (is_ordered) {
        lower_reduce_ordered(L, stm, soac, &reduction, &kernel, &share);
    } else if (ahead) {
        lower_reduce_tiles(L, stm, soac, &reduction, &kernel, groups, lower_steps_at_once(L, soac));
    } else {
        reduce_rows(L, stm, soac, &reduction, &kernel, width, in_order, false, strip);
    }
    lower_reduce_finish(L, &kernel, &reduction, kernel_use(L->c, kernel.index), groups);
    bool is_kernel = lower_kernel_end(L, &kernel, "reduce", stm->pattern[0]->text, groups);
    if (is_kernel && !in_order) {
        lower_reduce_on_processor(L, stm, soac, &reduction, groups);
    }
    lower_partials_end(L, &reduction);
    lower_reduction_end(L, stm, &reduction, is_kernel);
    if (!is_kernel) {
        return false;
    }
    for (size_t k = reduction.count; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
    }
    return true;
}
