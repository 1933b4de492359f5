/* Scans on the device, in three kernels.

       ys = scan op neutral xs    ==>    GRID  w < items  { sums[w] = reduction of w's chunk of xs }
                                         GROUP g < 1      { sums := exclusive scan of sums }
                                         GRID  w < items  { total = sums[w]; for w's chunk: total =
   op(total, x); ys[i] = total }

   Chunks are contiguous, so that any associative operator will do. Only the kernel in the middle
   has barriers: one group scans at most 65,536 sums, each work-item a run of them; the work-items'
   totals are scanned by doubling distances between two arrays in local memory, so that no step
   reads what it writes. Mapped-out results are written by the last kernel. */
#include "backend/lower/lower.h"

typedef struct Scan {
    const CoreStm *stm;
    const CoreSoac *soac;
    size_t component_count;
    const KernelExp *width, *groups, *items, *chunk;
    KernelVariable **sums;
    const Reader **places; /* by pattern position */
} Scan;

static const KernelExp *binary(Lower *L, CoreOperator op, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, op, x, y);
}

static Accumulator **accumulators_of(Lower *L, const Scan *s)
{
    Accumulator **all = ARENA_ARRAY(L->c->arena, Accumulator *, s->soac->scan_count + 1);
    for (size_t i = 0; i < s->soac->scan_count; i++) {
        all[i] = ARENA_ARRAY(L->c->arena, Accumulator, lower_width(&s->soac->scans[i]) + 1);
        lower_accumulators(L, &s->soac->scans[i], all[i]);
    }
    return all;
}

/* Each component of every accumulator := buffers[k][at], or the other way round. */
static void load_accumulators(Lower *L, const Scan *s, Accumulator **all, KernelVariable **buffers,
                              const KernelExp *at)
{
    size_t k = 0;
    for (size_t i = 0; i < s->soac->scan_count; i++) {
        for (size_t j = 0; j < lower_width(&s->soac->scans[i]); j++, k++) {
            kernel_assign(L->b, all[i][j].scalar, kernel_load(L->c, buffers[k], at));
        }
    }
}

static void store_accumulators(Lower *L, const Scan *s, Accumulator **all, KernelVariable **buffers,
                               const KernelExp *at)
{
    size_t k = 0;
    for (size_t i = 0; i < s->soac->scan_count; i++) {
        for (size_t j = 0; j < lower_width(&s->soac->scans[i]); j++, k++) {
            kernel_store(L->b, buffers[k], at, kernel_use(L->c, all[i][j].scalar));
        }
    }
}

/* Every accumulator takes one operand more. */
static void accumulate_all(Lower *L, const Scan *s, Accumulator **all, const Value *operands)
{
    size_t at = 0;
    for (size_t i = 0; i < s->soac->scan_count; at += lower_width(&s->soac->scans[i]), i++) {
        lower_accumulate(L, &s->soac->scans[i], all[i], operands + at);
    }
}

/* The operands that buffers hold at an index. */
static Value *loaded(Lower *L, const Scan *s, KernelVariable **buffers, const KernelExp *at)
{
    Value *operands = ARENA_ARRAY(L->c->arena, Value, s->component_count + 1);
    for (size_t k = 0; k < s->component_count; k++) {
        operands[k].scalar = lower_let(L, "x", kernel_load(L->c, buffers[k], at));
    }
    return operands;
}

/* ---- the first and the last kernel -------------------------------------------------------------
 */

/* Work-item w goes through its chunk; in the last kernel it begins with what comes before and
 * writes. */
static bool chunk_kernel(Lower *L, const Scan *s, bool last)
{
    Arena *arena = L->c->arena;
    const CoreSoac *soac = s->soac;
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *item = kernel_use(L->c, kernel.index);
    Accumulator **all = accumulators_of(L, s);
    if (last) {
        load_accumulators(L, s, all, s->sums, item);
    }
    const KernelExp *start = lower_let(L, "start", binary(L, CORE_MUL, item, s->chunk));
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "j", lower_chunk_length(L, start, s->chunk, s->width));
    const KernelExp *index = lower_let(L, "i", binary(L, CORE_ADD, start, loop.index));
    size_t results = soac->map->body->result_count;
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, results + 1);
    Value *operands = ARENA_ARRAY(arena, Value, results + 1);
    for (size_t k = s->component_count; last && k < results; k++) {
        wanted[k] = lower_row(L, s->places[k], 1, &index);
    }
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, index);
    lower_body(L, soac->map->body, wanted, operands);
    accumulate_all(L, s, all, operands);
    size_t at = 0;
    for (size_t i = 0; last && i < soac->scan_count; i++) {
        for (size_t k = 0; k < lower_width(&soac->scans[i]); k++, at++) {
            lower_store_scalar(L, lower_row(L, s->places[at], 1, &index),
                               kernel_use(L->c, all[i][k].scalar));
        }
    }
    lower_loop_end(L, &loop);
    if (!last) {
        store_accumulators(L, s, all, s->sums, item);
    }
    return lower_kernel_end(L, &kernel, last ? "scan" : "sums", s->stm->pattern[0]->text, s->items);
}

/* ---- the kernel in the middle -------------------------------------------------------------------
 */

static KernelVariable **declare_locals(Lower *L, const Scan *s)
{
    KernelVariable **buffers = ARENA_ARRAY(L->c->arena, KernelVariable *, s->component_count + 1);
    for (size_t k = 0; k < s->component_count; k++) {
        buffers[k] = kernel_variable(L->c, "totals", s->sums[k]->prim, KERNEL_LOCAL, L->b->span);
        kernel_declare_buffer(L->b, buffers[k], KERNEL_GROUP_SIZE);
    }
    return buffers;
}

/* to[l] = l < distance ? from[l] : op(from[l - distance], from[l]) */
static void doubling_step(Lower *L, const Scan *s, LowerKernel *kernel, KernelVariable **from,
                          KernelVariable **to, int64_t distance)
{
    kernel_barrier(L->b);
    LowerLoop local;
    lower_local_begin(L, kernel, &local);
    Accumulator **all = accumulators_of(L, s);
    load_accumulators(L, s, all, from, local.index);
    LowerLoop block;
    lower_block_begin(L, &block);
    Value *operands = loaded(L, s, from, local.index);
    const KernelExp *before =
        lower_let(L, "before", binary(L, CORE_SUB, local.index, kernel_i64(L->c, distance)));
    load_accumulators(L, s, all, from, before);
    accumulate_all(L, s, all, operands);
    KernelBlock joined = lower_block_end(L, &block);
    kernel_if(L->b, binary(L, CORE_GE, local.index, kernel_i64(L->c, distance)), joined,
              (KernelBlock){0});
    store_accumulators(L, s, all, to, local.index);
    lower_local_end(L, &local);
}

/* One work-item's run of sums: their reduction, or their exclusive scan in place. */
static void run_of_sums(Lower *L, const Scan *s, Accumulator **all, const KernelExp *l, bool write)
{
    const KernelExp *start = lower_let(L, "start", binary(L, CORE_MUL, l, s->groups));
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "j", s->groups);
    const KernelExp *index = lower_let(L, "i", binary(L, CORE_ADD, start, loop.index));
    Value *operands = loaded(L, s, s->sums, index);
    if (write) {
        store_accumulators(L, s, all, s->sums, index);
    }
    accumulate_all(L, s, all, operands);
    lower_loop_end(L, &loop);
}

static bool sums_kernel(Lower *L, const Scan *s)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    KernelVariable **from = declare_locals(L, s), **to = declare_locals(L, s);
    LowerLoop local;
    lower_local_begin(L, &kernel, &local);
    Accumulator **all = accumulators_of(L, s);
    run_of_sums(L, s, all, local.index, false);
    store_accumulators(L, s, all, from, local.index);
    lower_local_end(L, &local);
    for (int64_t distance = 1; distance < KERNEL_GROUP_SIZE; distance *= 2) {
        doubling_step(L, s, &kernel, from, to, distance);
        KernelVariable **swapped = from;
        from = to;
        to = swapped;
    }
    kernel_barrier(L->b);
    lower_local_begin(L, &kernel, &local);
    all = accumulators_of(L, s);
    LowerLoop block;
    lower_block_begin(L, &block);
    load_accumulators(
        L, s, all, from,
        lower_let(L, "before", binary(L, CORE_SUB, local.index, kernel_i64(L->c, 1))));
    KernelBlock before = lower_block_end(L, &block);
    kernel_if(L->b, binary(L, CORE_GT, local.index, kernel_i64(L->c, 0)), before, (KernelBlock){0});
    run_of_sums(L, s, all, local.index, true);
    lower_local_end(L, &local);
    return lower_kernel_end(L, &kernel, "offsets", s->stm->pattern[0]->text, kernel_i64(L->c, 1));
}

/* ---- scans
 * ----------------------------------------------------------------------------------------- */

bool lower_scan_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Arena *arena = L->c->arena;
    Scan s = {.stm = stm, .soac = soac};
    for (size_t i = 0; i < soac->scan_count; i++) {
        s.component_count += lower_width(&soac->scans[i]);
    }
    s.width = lower_scalar(L, soac->width);
    lower_share_out(L, s.width, &s.groups, &s.items, &s.chunk);
    s.sums = ARENA_ARRAY(arena, KernelVariable *, s.component_count + 1);
    s.places = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        s.places[k] = lower_place(L, stm->pattern[k]);
        if (k < s.component_count) {
            s.sums[k] = lower_allocate(L, "sums", stm->pattern[k]->type.prim, 1, &s.items)->buffer;
        }
    }
    if (!chunk_kernel(L, &s, false) || !sums_kernel(L, &s) || !chunk_kernel(L, &s, true)) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], s.places[k]);
    }
    return true;
}
