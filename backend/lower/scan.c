/* Scans as kernels, in one of two forms that the device decides on when the program runs
   (KERNEL_DEVICE): a single pass (lookback.c), or three phases [REDO 4], which ask nothing of
   the order in which groups run.

       1  GROUP: each work-item scans a chunk of its own into the result; in local memory, a scan
          of the chunks' sums by branches of 16
       2  GROUP 1: the same scan over the groups' sums
       3  GRID: what comes before a work-item's chunk is put before its elements

   The map lambda runs once a row, in phase 1. Reductions of the same SOAC have their operands
   stored there and are a reduction of their own afterwards. Operands keep their order throughout;
   barriers stand at the top of the kernel only. Processors have plain loops instead (scan_shares.c).

   Where something is done with the scanned rows at once (epilogue.c), or they are stored through a view, which may not
   show all of them (parts.c), phase 1 stores nothing but sums, and phase 3 scans each chunk again: its rows are read
   twice, and need not be stored. */
#include "backend/lower/scan.h"

KernelVariable *lower_scan_buffer(Lower *L, const ScanComponent *component, KernelSpace space)
{
    return kernel_variable(L->c, component->text, component->prim, space, L->b->span);
}

void lower_scan_components(Lower *L, GroupScan *scan, const bool *stored)
{
    const CoreSoac *soac = scan->soac;
    const CoreStm *stm = scan->stm;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        scan->reduced += lower_width(&soac->reductions[r]);
    }
    for (size_t s = 0; s < soac->scan_count; s++) {
        scan->count += lower_width(&soac->scans[s]);
    }
    scan->components = ARENA_ARRAY(L->c->arena, ScanComponent, scan->count + 1);
    for (size_t s = 0, at = 0; s < soac->scan_count; s++) {
        const CoreReduction *one = &soac->scans[s];
        for (size_t k = 0; k < lower_width(one); k++, at++) {
            ScanComponent *component = &scan->components[at];
            component->prim = lower_prim(one->function->result_types[k].prim);
            component->text = one->function->parameters[k]->text;
            component->neutral = lower_scalar(L, one->neutral[k]);
            component->out = stored == NULL || stored[at]
                                 ? lower_place(L, stm->pattern[scan->reduced + at])
                                 : NULL;
        }
    }
}

static void find_layout(Lower *L, GroupScan *scan)
{
    const KernelExp *groups = kernel_divide(
        L->c, lower_op(L, CORE_ADD, scan->width, lower_number(L, 4 * KERNEL_GROUP_SIZE - 1)),
        lower_number(L, 4 * KERNEL_GROUP_SIZE));
    groups = lower_op(L, CORE_MIN, groups, lower_number(L, KERNEL_MOST_GROUPS));
    scan->groups = lower_let(L, "groups", lower_op(L, CORE_MAX, groups, lower_number(L, 1)));
    scan->items = lower_let(
        L, "items", lower_op(L, CORE_MUL, scan->groups, lower_number(L, KERNEL_GROUP_SIZE)));
    const KernelExp *chunk = kernel_divide(
        L->c,
        lower_op(L, CORE_ADD, scan->width, lower_op(L, CORE_SUB, scan->items, lower_number(L, 1))),
        scan->items);
    scan->chunk = lower_let(L, "chunk", lower_op(L, CORE_MAX, chunk, lower_number(L, 1)));
}

void lower_scan_combine(Lower *L, const GroupScan *scan, const Value *left, const Value *right,
                        Value *results)
{
    for (size_t s = 0, at = 0; s < scan->soac->scan_count; s++) {
        const CoreReduction *one = &scan->soac->scans[s];
        size_t width = lower_width(one);
        Value *arguments = ARENA_ARRAY(L->c->arena, Value, 2 * width + 1);
        for (size_t k = 0; k < width; k++) {
            arguments[k] = left[at + k];
            arguments[width + k] = right[at + k];
        }
        lower_apply(L, one->function, arguments, NULL, results + at);
        at += width;
    }
}

Value *lower_scan_values(Lower *L, const GroupScan *scan)
{
    return ARENA_ARRAY(L->c->arena, Value, scan->count + 1);
}

Accumulator *lower_scan_running(Lower *L, const GroupScan *scan)
{
    return lower_all_accumulators(L, scan->soac->scan_count, scan->soac->scans);
}

void lower_scan_run_on(Lower *L, const GroupScan *scan, Accumulator *running, const Value *operands)
{
    lower_accumulate_all(L, scan->soac->scan_count, scan->soac->scans, running, operands);
}

/* Running sums that begin with local[at]. */
static Accumulator *running_from(Lower *L, const GroupScan *scan, const KernelExp *at)
{
    Accumulator *running = ARENA_ARRAY(L->c->arena, Accumulator, scan->count + 1);
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        running[k].scalar = lower_scan_buffer(L, component, KERNEL_SCALAR);
        kernel_declare(L->b, running[k].scalar, kernel_load(L->c, component->local, at));
    }
    return running;
}

static void run_on(Lower *L, const GroupScan *scan, Accumulator *running, const KernelExp *at)
{
    Value *operands = lower_scan_values(L, scan);
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        operands[k].scalar = lower_let(L, component->text, kernel_load(L->c, component->local, at));
    }
    lower_scan_run_on(L, scan, running, operands);
}

static void store_running(Lower *L, const GroupScan *scan, const Accumulator *running, bool sums,
                          const KernelExp *at)
{
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        kernel_store(L->b, sums ? component->sums : component->local, at,
                     lower_accumulated(L, &running[k]).scalar);
    }
}

/* Work-item l < branches: the values of branch l become their own scan. */
static void scan_branch(Lower *L, const GroupScan *scan, int64_t branches, const KernelExp *l)
{
    LowerLoop loop;
    const KernelExp *first =
        lower_let(L, "first", lower_op(L, CORE_MUL, l, lower_number(L, branches + 1)));
    Accumulator *running = running_from(L, scan, first);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, branches - 1));
    const KernelExp *next = lower_op(L, CORE_ADD, first, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, next, loop.index));
    run_on(L, scan, running, at);
    store_running(L, scan, running, false, at);
    loop.written_out = scan->written_out;
    lower_loop_end(L, &loop);
}

/* Work-item 0: sums[b] = all up to the end of branch b. */
static void scan_branch_sums(Lower *L, const GroupScan *scan, int64_t branches)
{
    LowerLoop loop;
    Accumulator *running = running_from(L, scan, lower_number(L, branches - 1));
    store_running(L, scan, running, true, lower_number(L, 0));
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, branches - 1));
    const KernelExp *branch =
        lower_let(L, "branch", lower_op(L, CORE_ADD, loop.index, lower_number(L, 1)));
    const KernelExp *first = lower_op(L, CORE_MUL, branch, lower_number(L, branches + 1));
    run_on(L, scan, running,
           lower_let(L, "at", lower_op(L, CORE_ADD, first, lower_number(L, branches - 1))));
    store_running(L, scan, running, true, branch);
    loop.written_out = scan->written_out;
    lower_loop_end(L, &loop);
}

/* Work-item l >= branches: what comes before its branch is put before its value. */
static void carry_branch(Lower *L, const GroupScan *scan, int64_t branches, const KernelExp *l)
{
    Value *left = lower_scan_values(L, scan), *right = lower_scan_values(L, scan),
          *sum = lower_scan_values(L, scan);
    const KernelExp *branch = kernel_divide(L->c, l, lower_number(L, branches));
    const KernelExp *before =
        lower_let(L, "before", lower_op(L, CORE_SUB, branch, lower_number(L, 1)));
    const KernelExp *lane = lower_lane(L, l, branches * branches);
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        left[k].scalar = lower_let(L, component->text, kernel_load(L->c, component->sums, before));
        right[k].scalar = lower_let(L, component->text, kernel_load(L->c, component->local, lane));
    }
    lower_scan_combine(L, scan, left, right, sum);
    for (size_t k = 0; k < scan->count; k++) {
        kernel_store(L->b, scan->components[k].local, lane, sum[k].scalar);
    }
}

/* The values in local memory, one of each work-item, become their inclusive scan: branches of 16, the branches' sums,
   and the sums put before the branches; a barrier before each step. */
void lower_scan_local(Lower *L, LowerKernel *kernel, const GroupScan *scan)
{
    const int64_t branches = lower_branches(kernel->lanes);
    for (int step = 0; step < 3; step++) {
        LowerLoop local, block;
        kernel_barrier(L->b);
        lower_local_begin(L, kernel, &local);
        lower_block_begin(L, &block);
        const KernelExp *l = local.index, *active;
        if (step == 0) {
            active = lower_op(L, CORE_LT, l, lower_number(L, branches));
            scan_branch(L, scan, branches, l);
        } else if (step == 1) {
            active = lower_op(L, CORE_EQ, l, lower_number(L, 0));
            scan_branch_sums(L, scan, branches);
        } else {
            active = lower_op(L, CORE_GE, l, lower_number(L, branches));
            carry_branch(L, scan, branches, l);
        }
        KernelBlock work = lower_block_end(L, &block);
        kernel_if(L->b, active, work, (KernelBlock){0});
        lower_local_end(L, kernel, &local);
    }
}

void lower_scan_declare(Lower *L, GroupScan *scan, int64_t lanes)
{
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        component->local = lower_scan_buffer(L, component, KERNEL_LOCAL);
        component->sums = lower_scan_buffer(L, component, KERNEL_LOCAL);
        kernel_declare_buffer(L->b, component->local, lanes + lower_branches(lanes));
        kernel_declare_buffer(L->b, component->sums, lower_branches(lanes));
    }
}

/* ---- phase 1 --------------------------------------------------------------------------------- */

const Value *lower_scan_row(Lower *L, const GroupScan *scan, const KernelExp *row)
{
    const CoreStm *stm = scan->stm;
    const CoreSoac *soac = scan->soac;
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, row);
    Value *results = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (k < scan->reduced) {
            wanted[k] = lower_row(L, scan->operands[k], 1, &row);
        } else if (k >= scan->reduced + scan->count) {
            wanted[k] = lower_row(L, lower_place(L, stm->pattern[k]), 1, &row);
        }
    }
    lower_body_of_row(L, row, soac->map->body, wanted, results);
    return results + scan->reduced;
}

static void rows_of_chunk_begin(Lower *L, const GroupScan *scan, const KernelExp *item,
                                LowerLoop *loop, const KernelExp **row)
{
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, item, scan->chunk));
    const KernelExp *rest = lower_op(L, CORE_SUB, scan->width, first);
    lower_loop_begin(L, loop, FRAME_MAP, "t",
                     lower_let(L, "count", lower_op(L, CORE_MIN, scan->chunk, rest)));
    *row = lower_let(L, "i", kernel_exact_sum(L->c, first, loop->index));
    lower_is_row(*row, scan->width);
}

Accumulator *lower_scan_chunk(Lower *L, const GroupScan *scan, const KernelExp *item)
{
    LowerLoop loop;
    const KernelExp *row;
    Accumulator *running = lower_scan_running(L, scan);
    rows_of_chunk_begin(L, scan, item, &loop, &row);
    lower_scan_run_on(L, scan, running, lower_scan_row(L, scan, row));
    for (size_t k = 0; !scan->again && k < scan->count; k++) {
        lower_assign(L, lower_row(L, scan->components[k].out, 1, &row),
                     lower_accumulated(L, &running[k]), "scan");
    }
    lower_loop_end(L, &loop);
    return running;
}

/* In a work-item: its chunk, of which the last is left at its place. */
static void scan_chunk(Lower *L, const GroupScan *scan, const KernelExp *item,
                       const KernelExp *lane)
{
    const Accumulator *running = lower_scan_chunk(L, scan, item);
    for (size_t k = 0; k < scan->count; k++) {
        kernel_store(L->b, scan->components[k].local, lane,
                     lower_accumulated(L, &running[k]).scalar);
    }
}

static bool scan_chunks(Lower *L, GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local, block;
    lower_kernel_begin(L, &kernel, true);
    lower_scan_declare(L, scan, KERNEL_GROUP_SIZE);
    lower_local_begin(L, &kernel, &local);
    scan_chunk(L, scan, kernel.frame.item, lower_lane(L, local.index, KERNEL_GROUP_SIZE));
    lower_local_end(L, &kernel, &local);
    lower_scan_local(L, &kernel, scan);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *lane = lower_lane(L, local.index, KERNEL_GROUP_SIZE);
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        kernel_store(L->b, component->item_sums, kernel.frame.item,
                     kernel_load(L->c, component->local, lane));
    }
    lower_block_begin(L, &block);
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        kernel_store(L->b, component->group_sums, kernel_use(L->c, kernel.index),
                     kernel_load(L->c, component->local, lane));
    }
    KernelBlock publish = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, local.index, lower_number(L, KERNEL_GROUP_SIZE - 1)),
              publish, (KernelBlock){0});
    lower_local_end(L, &kernel, &local);
    return lower_kernel_end(L, &kernel, "scan", text, scan->groups);
}

/* ---- phases 2 and 3 -------------------------------------------------------------------------- */

static bool scan_groups(Lower *L, GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local, block;
    lower_kernel_begin(L, &kernel, true);
    lower_scan_declare(L, scan, KERNEL_GROUP_SIZE);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *inside = lower_op(L, CORE_LT, local.index, scan->groups);
    const KernelExp *lane = lower_lane(L, local.index, KERNEL_GROUP_SIZE);
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        const KernelExp *value =
            kernel_select(L->c, inside, kernel_load(L->c, component->group_sums, local.index),
                          component->neutral);
        kernel_store(L->b, component->local, lane, value);
    }
    lower_local_end(L, &kernel, &local);
    lower_scan_local(L, &kernel, scan);
    lower_local_begin(L, &kernel, &local);
    lower_block_begin(L, &block);
    lane = lower_lane(L, local.index, KERNEL_GROUP_SIZE);
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        kernel_store(L->b, component->group_sums, local.index,
                     kernel_load(L->c, component->local, lane));
    }
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_LT, local.index, scan->groups), store, (KernelBlock){0});
    lower_local_end(L, &kernel, &local);
    return lower_kernel_end(L, &kernel, "scan_groups", text, lower_number(L, 1));
}

const KernelExp *lower_scan_before(Lower *L, const ScanComponent *component, KernelVariable *sums,
                                   const KernelExp *at, const KernelExp *exists)
{
    const KernelExp *load = kernel_load(L->c, sums, lower_op(L, CORE_SUB, at, lower_number(L, 1)));
    return lower_let(L, component->text, kernel_select(L->c, exists, load, component->neutral));
}

/* What comes before the chunk of work-item `item` of the group. */
static Value *before_chunk(Lower *L, const GroupScan *scan, const KernelExp *group,
                           const KernelExp *item)
{
    const KernelExp *size = lower_number(L, KERNEL_GROUP_SIZE);
    const KernelExp *later_group =
        lower_let(L, "later", lower_op(L, CORE_GT, group, lower_number(L, 0)));
    const KernelExp *later_item = lower_let(
        L, "later", lower_op(L, CORE_GT, kernel_modulo(L->c, item, size), lower_number(L, 0)));
    Value *left = lower_scan_values(L, scan), *right = lower_scan_values(L, scan),
          *sum = lower_scan_values(L, scan);
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        left[k].scalar = lower_scan_before(L, component, component->group_sums, group, later_group);
        right[k].scalar = lower_scan_before(L, component, component->item_sums, item, later_item);
    }
    lower_scan_combine(L, scan, left, right, sum);
    for (size_t k = 0; k < scan->count; k++) {
        sum[k].scalar = lower_let(L, scan->components[k].text, sum[k].scalar);
    }
    return sum;
}

/* In a work-item: `left` is put before each row of its chunk, as it is stored. */
static void carry_chunk(Lower *L, const GroupScan *scan, const KernelExp *item, const Value *left)
{
    LowerLoop loop;
    const KernelExp *row;
    Value *right = lower_scan_values(L, scan), *sum = lower_scan_values(L, scan);
    rows_of_chunk_begin(L, scan, item, &loop, &row);
    for (size_t k = 0; k < scan->count; k++) {
        right[k].scalar =
            lower_let(L, scan->components[k].text, lower_read(L, scan->components[k].out, &row));
    }
    lower_scan_combine(L, scan, left, right, sum);
    for (size_t k = 0; k < scan->count; k++) {
        lower_store_scalar(L, lower_row(L, scan->components[k].out, 1, &row), sum[k].scalar);
    }
    lower_loop_end(L, &loop);
}

void lower_scan_in_group(Lower *L, LowerKernel *kernel, const CoreStm *stm)
{
    const int64_t lanes = kernel->lanes;
    GroupScan scan = {
        .stm = stm, .soac = &stm->exp->as.soac, .width = lower_scalar(L, stm->exp->as.soac.width)};
    LowerLoop local, block;
    lower_scan_components(L, &scan, NULL);
    const KernelExp *ceiling = lower_op(L, CORE_ADD, scan.width, lower_number(L, lanes - 1));
    scan.chunk = lower_let(L, "chunk", kernel_divide(L->c, ceiling, lower_number(L, lanes)));
    lower_scan_declare(L, &scan, lanes);
    lower_local_begin(L, kernel, &local);
    scan_chunk(L, &scan, local.index, lower_lane(L, local.index, lanes));
    lower_local_end(L, kernel, &local);
    lower_scan_local(L, kernel, &scan);
    kernel_barrier(L->b);
    lower_local_begin(L, kernel, &local);
    lower_block_begin(L, &block);
    Value *left = lower_scan_values(L, &scan);
    const KernelExp *last = lower_op(L, CORE_SUB, local.index, lower_number(L, 1));
    last = lower_lane(L, last, lanes);
    for (size_t k = 0; k < scan.count; k++) {
        left[k].scalar = lower_let(L, scan.components[k].text,
                                   kernel_load(L->c, scan.components[k].local, last));
    }
    carry_chunk(L, &scan, local.index, left);
    KernelBlock carry = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_GT, local.index, lower_number(L, 0)), carry, (KernelBlock){0});
    lower_local_end(L, kernel, &local);
    kernel_barrier(L->b);
}

/* Work-item w: what comes before its chunk is put before each element of it. */
static bool scan_carry(Lower *L, GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *item = kernel_use(L->c, kernel.index);
    const KernelExp *group =
        lower_let(L, "group", kernel_divide(L->c, item, lower_number(L, KERNEL_GROUP_SIZE)));
    carry_chunk(L, scan, item, before_chunk(L, scan, group, item));
    return lower_kernel_end(L, &kernel, "scan_carry", text, scan->items);
}

bool lower_scan_wants_before(const GroupScan *scan)
{
    return scan->epilogue != NULL && scan->epilogue->before;
}

Value *lower_scan_finishing(Lower *L, const GroupScan *scan, const Value *scanned)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, 2 * scan->count + 1);
    memset(values, 0, (2 * scan->count + 1) * sizeof *values);
    for (size_t k = 0; k < scan->count; k++) {
        values[k] = scanned[k];
    }
    return values;
}

void lower_scan_finished(Lower *L, const GroupScan *scan, const KernelExp *row, Value *scanned)
{
    for (size_t k = 0; lower_scan_wants_before(scan) && k < scan->count; k++) {
        Value *before = &scanned[scan->count + k];
        before->scalar = lower_let(L, "before", before->scalar);
    }
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        if (scan->epilogue != NULL) {
            scanned[k].scalar = lower_let(L, component->text, scanned[k].scalar);
        }
        if (component->out != NULL) {
            lower_store_scalar(L, lower_row(L, component->out, 1, &row), scanned[k].scalar);
        }
    }
    if (scan->epilogue != NULL) {
        scan->epilogue->row(L, scan->epilogue->context, row, scanned);
    }
}

void lower_scan_chunk_again(Lower *L, const GroupScan *scan, const KernelExp *item,
                            const Value *before)
{
    LowerLoop loop;
    const KernelExp *row;
    Accumulator *running = ARENA_ARRAY(L->c->arena, Accumulator, scan->count + 1);
    for (size_t k = 0; k < scan->count; k++) {
        running[k].scalar = lower_scan_buffer(L, &scan->components[k], KERNEL_SCALAR);
        kernel_declare(L->b, running[k].scalar, before[k].scalar);
    }
    rows_of_chunk_begin(L, scan, item, &loop, &row);
    const Value *results = lower_scan_row(L, scan, row);
    Value *scanned = lower_scan_finishing(L, scan, lower_scan_values(L, scan));
    for (size_t k = 0; lower_scan_wants_before(scan) && k < scan->count; k++) {
        KernelVariable *saved = lower_scan_buffer(L, &scan->components[k], KERNEL_SCALAR);
        kernel_declare(L->b, saved, kernel_use(L->c, running[k].scalar));
        scanned[scan->count + k].scalar = kernel_use(L->c, saved);
    }
    lower_scan_run_on(L, scan, running, results);
    for (size_t k = 0; k < scan->count; k++) {
        scanned[k] = lower_accumulated(L, &running[k]);
    }
    lower_scan_finished(L, scan, row, scanned);
    lower_loop_end(L, &loop);
}

static bool scan_again(Lower *L, GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local;
    lower_kernel_begin(L, &kernel, true);
    lower_epilogue(L, scan, EPILOGUE_DECLARE, NULL);
    lower_local_begin(L, &kernel, &local);
    lower_epilogue(L, scan, EPILOGUE_BEGIN, NULL);
    const KernelExp *item = kernel.frame.item;
    lower_scan_chunk_again(L, scan, item,
                           before_chunk(L, scan, kernel_use(L->c, kernel.index), item));
    lower_epilogue(L, scan, EPILOGUE_END, local.index);
    lower_local_end(L, &kernel, &local);
    lower_epilogue_finish(L, scan, &kernel, kernel_use(L->c, kernel.index));
    return lower_kernel_end(L, &kernel, "scan_carry", text, scan->groups);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The reductions that stood beside the scans, over their stored operands. */
static void reduce_operands(Lower *L, const GroupScan *scan)
{
    Compilation *c = L->c;
    const CoreStm *stm = scan->stm;
    size_t count = scan->reduced;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreType *types = ARENA_ARRAY(c->arena, CoreType, count + 1);
    for (size_t k = 0; k < count; k++) {
        types[k] = core_scalar(scan->operands[k]->prim);
        CoreName *name = core_name(c, stm->pattern[k]->text,
                                   core_array_of(c, scan->soac->width, types[k]), stm->span);
        lower_bind_array(L, name, scan->operands[k]);
        inputs[k] = core_use(name);
    }
    CoreStm *reduce = ARENA_NEW(c->arena, CoreStm);
    *reduce = *stm;
    reduce->pattern_count = count;
    CoreExp *exp = ARENA_NEW(c->arena, CoreExp);
    exp->kind = CORE_EXP_SOAC;
    exp->as.soac = *scan->soac;
    exp->as.soac.input_count = count;
    exp->as.soac.inputs = inputs;
    exp->as.soac.map = core_identity_lambda(c, count, types);
    exp->as.soac.scan_count = 0;
    reduce->exp = exp;
    if (!lower_reduce_groups(L, reduce, &exp->as.soac)) {
        lower_soac_sequential(L, reduce, &exp->as.soac);
    }
    for (size_t k = 0; k < count; k++) {
        lower_forget(L, inputs[k].name);
    }
}

static void allocate_sums(Lower *L, GroupScan *scan)
{
    for (size_t k = 0; k < scan->count; k++) {
        ScanComponent *component = &scan->components[k];
        component->item_sums = lower_scan_buffer(L, component, KERNEL_GLOBAL);
        component->group_sums = lower_scan_buffer(L, component, KERNEL_GLOBAL);
        kernel_allocate(L->b, component->item_sums, scan->items);
        kernel_allocate(L->b, component->group_sums, scan->groups);
    }
}

/* The three kernels; false, and nothing added, where the first cannot be one. */
static bool scan_in_phases(Lower *L, GroupScan *scan, const char *text)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    find_layout(L, scan);
    allocate_sums(L, scan);
    lower_epilogue(L, scan, EPILOGUE_ALLOCATE, scan->groups);
    bool good = scan_chunks(L, scan, text);
    if (good && !scan_groups(L, scan, text)) {
        internal_error(L->c, "an operator is a kernel once and not again");
    }
    good = good && (scan->again ? scan_again(L, scan, text) : scan_carry(L, scan, text));
    lower_epilogue(L, scan, EPILOGUE_RELEASE, NULL);
    for (size_t k = 0; k < scan->count; k++) {
        kernel_release(L->b, scan->components[k].item_sums);
        kernel_release(L->b, scan->components[k].group_sums);
    }
    KernelBlock phases = lower_block_end(L, &block);
    for (size_t i = 0; good && i < phases.count; i++) {
        kernel_add(L->b, phases.commands[i]);
    }
    return good;
}

/* if this device is a processor { plain loops } else { three kernels } */
static bool scan_by_either(Lower *L, GroupScan *scan, const char *text)
{
    LowerLoop block;
    if (!lower_scan_has_shares(L, scan)) {
        return scan_in_phases(L, scan, text);
    }
    const KernelExp *most = lower_device(L, "processor_groups", CORE_I64);
    lower_block_begin(L, &block);
    bool good = lower_scan_by_shares(L, scan, most, text);
    KernelBlock shares = lower_block_end(L, &block);
    if (!good) {
        return scan_in_phases(L, scan, text);
    }
    lower_block_begin(L, &block);
    good = scan_in_phases(L, scan, text);
    KernelBlock phases = lower_block_end(L, &block);
    if (good) {
        kernel_if(L->b, lower_op(L, CORE_GT, most, lower_number(L, 0)), shares, phases);
    }
    return good;
}

/* if this device looks back { one kernel } else { three } */
static bool scan_in_either_form(Lower *L, GroupScan *scan)
{
    const char *text = scan->stm->pattern[scan->reduced]->text;
    LowerLoop one, three;
    lower_block_begin(L, &one);
    bool single = lower_scan_look_back(L, scan, text);
    KernelBlock look_back = lower_block_end(L, &one);
    if (!single) {
        return scan_by_either(L, scan, text);
    }
    lower_block_begin(L, &three);
    bool good = scan_by_either(L, scan, text);
    KernelBlock phases = lower_block_end(L, &three);
    if (!good) {
        return false;
    }
    kernel_if(L->b, lower_device(L, "looks_back", CORE_BOOL), look_back, phases);
    return true;
}

/* Some result is stored through a view, and nothing is beside the scans. */
static bool is_seen_through_view(const GroupScan *scan)
{
    bool any = false;
    for (size_t k = 0; k < scan->count; k++) {
        const Reader *out = scan->components[k].out;
        any = any || (out != NULL && out->kind != READER_STORED);
    }
    return any && scan->stm->pattern_count == scan->count;
}

bool lower_scan_then(Lower *L, const CoreStm *stm, const CoreSoac *soac, const bool *stored,
                     const ScanEpilogue *epilogue)
{
    GroupScan scan = {
        .stm = stm, .soac = soac, .width = lower_scalar(L, soac->width), .epilogue = epilogue};
    for (size_t s = 0; s < soac->scan_count; s++) {
        if (!lower_scalar_operator(&soac->scans[s])) {
            return false;
        }
    }
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!lower_scalar_operator(&soac->reductions[r])) {
            return false;
        }
    }
    lower_scan_components(L, &scan, stored);
    scan.again = epilogue != NULL || is_seen_through_view(&scan);
    scan.operands = ARENA_ARRAY(L->c->arena, const Reader *, scan.reduced + 1);
    for (size_t k = 0; k < scan.reduced; k++) {
        scan.operands[k] =
            lower_allocate(L, stm->pattern[k]->text, stm->pattern[k]->type.prim, 1, &scan.width);
    }
    if (!scan_in_either_form(L, &scan)) {
        return false;
    }
    if (scan.reduced > 0) {
        reduce_operands(L, &scan);
    }
    for (size_t k = scan.reduced; k < stm->pattern_count; k++) {
        if (stored == NULL || stored[k]) {
            lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
        }
    }
    return true;
}

bool lower_scan_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    return lower_scan_then(L, stm, soac, NULL, NULL);
}
