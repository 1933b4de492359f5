/* Reductions by operators that do not commute, without strided reading: rows pass through local
   memory, which they enter in coalesced order and leave in their own.

       reduce op e (map f xs)   ==>

       GROUP g < groups {                          its rows are contiguous, and those of a team, too
           team = e                                64 teams of 4 work-items
           FOR t < rounds {
               LOCAL { for s < 16 { x[..] = xs[..] } }         64 rows of each team
               BARRIER
               LOCAL { local[l] = f(x[16*l]) op f(x[16*l + 1]) op ... }
               BARRIER
               LOCAL { if l < 64 { team[l] = team[l] op local[4*l] op ... op local[4*l + 3] } }
           }
           BARRIER
           LOCAL { local[l] = team[l], or e }
           ...                                     the tree of all reductions (reduce.c)
       }

   [REDO 4] transposes the input in memory for this; in local memory it costs no pass. What is
   stored there are the lambda's inputs: they are often narrower than the tuples that are folded.
   Runs of 2K elements are followed by an empty one, against bank conflicts. */
#include "backend/lower/reduce.h"

enum {
    MOST_ROWS = 16,
    STAGED_BYTES = 16384, /* of local memory */
    TEAM = 4,
    TEAMS = KERNEL_GROUP_SIZE / TEAM,
    FEW_GROUPS = 1024,
    MANY_GROUPS = 4096,
    SHORT_ROUNDS = 4
};

typedef struct Ordered {
    RowFold fold;
    LowerKernel *kernel;
    const OrderedShare *share;
    KernelVariable **staged; /* for each input; NULL: read where it is */
    KernelVariable **team;
    const KernelExp *width, *chunk, *first; /* rows of a team in all, the group's first row */
    const KernelExp *round;
} Ordered;

/* Numbers of rows and the like are computed where they are needed. */
static bool is_staged(const Reader *input)
{
    return input->kind != READER_IOTA && input->kind != READER_REPLICATE;
}

static int64_t rows_shift(int64_t rows)
{
    int64_t shift = 1;
    for (; rows > 1; rows /= 2) {
        shift++;
    }
    return shift;
}

/* So that there are no more groups than these rows are for. */
static const KernelExp *rounds_of(Lower *L, const KernelExp *width, int64_t rows)
{
    return kernel_divide(L->c, lower_op(L, CORE_ADD, width, lower_number(L, rows - 1)),
                         lower_number(L, rows));
}

/* Few groups, unless each has several rounds. */
bool lower_ordered_share(Lower *L, const CoreStm *stm, const CoreSoac *soac, OrderedShare *share)
{
    int64_t bytes = 0, folded = 0;
    size_t accumulators = 0;
    if (!lower_reads_ahead(L, soac)) {
        return false;
    }
    for (size_t k = 0; k < soac->input_count; k++) {
        const Reader *input = lower_array(L, soac->inputs[k]);
        bytes += is_staged(input) ? core_prim_bytes(input->prim) : 0;
    }
    for (size_t r = 0; r < soac->reduction_count; r++) {
        const CoreLambda *function = soac->reductions[r].function;
        for (size_t k = 0; k < lower_width(&soac->reductions[r]); k++, accumulators++) {
            folded += core_prim_bytes(function->result_types[k].prim);
        }
    }
    share->rows = MOST_ROWS;
    while (share->rows > 4 && share->rows * bytes * KERNEL_GROUP_SIZE > STAGED_BYTES) {
        share->rows /= 2;
    }
    if (bytes == 0 || stm->pattern_count > accumulators || folded > 32 ||
        share->rows * bytes * KERNEL_GROUP_SIZE > STAGED_BYTES) {
        return false;
    }
    const KernelExp *width = lower_scalar(L, soac->width);
    int64_t tile = share->rows * KERNEL_GROUP_SIZE;
    const KernelExp *few = rounds_of(L, width, tile * FEW_GROUPS);
    const KernelExp *rounds = rounds_of(L, width, tile * MANY_GROUPS);
    rounds =
        lower_op(L, CORE_MAX, rounds, lower_op(L, CORE_MIN, few, lower_number(L, SHORT_ROUNDS)));
    share->rounds = lower_let(L, "rounds", lower_op(L, CORE_MAX, rounds, lower_number(L, 1)));
    const KernelExp *size =
        lower_let(L, "size", lower_op(L, CORE_MUL, share->rounds, lower_number(L, tile)));
    const KernelExp *more = lower_op(L, CORE_SUB, size, lower_number(L, 1));
    const KernelExp *groups = kernel_divide(L->c, lower_op(L, CORE_ADD, width, more), size);
    share->groups = lower_let(L, "groups", lower_op(L, CORE_MAX, groups, lower_number(L, 1)));
    return true;
}

/* ---- local memory ---------------------------------------------------------------------------- */

static void declare_staged(Lower *L, Ordered *o)
{
    const CoreSoac *soac = o->fold.soac;
    int64_t rows = o->share->rows * KERNEL_GROUP_SIZE;
    o->staged = ARENA_ARRAY(L->c->arena, KernelVariable *, soac->input_count + 1);
    for (size_t k = 0; k < soac->input_count; k++) {
        const Reader *input = lower_array(L, soac->inputs[k]);
        o->staged[k] = NULL;
        if (is_staged(input)) {
            o->staged[k] = kernel_variable(L->c, soac->map->parameters[k]->text,
                                           lower_prim(input->prim), KERNEL_LOCAL, L->b->span);
            kernel_declare_buffer(L->b, o->staged[k], rows + (rows >> rows_shift(o->share->rows)));
        }
    }
    const GroupReduction *reduction = o->fold.reduction;
    o->team = ARENA_ARRAY(L->c->arena, KernelVariable *, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        o->team[k] = lower_component_buffer(L, &reduction->components[k], KERNEL_LOCAL);
        kernel_declare_buffer(L->b, o->team[k], TEAMS);
    }
}

typedef void ItemWork(Lower *L, Ordered *o, const KernelExp *l);

static void side_by_side(Lower *L, Ordered *o, ItemWork *work)
{
    LowerLoop local;
    lower_local_begin(L, o->kernel, &local);
    work(L, o, local.index);
    lower_local_end(L, o->kernel, &local);
}

/* ---- one round ------------------------------------------------------------------------------- */

/* Rows in coalesced order to local memory. Behind the last row anything may stand there: the last
   row does. */
static void stage_rows(Lower *L, Ordered *o, const KernelExp *l, bool is_full)
{
    LowerLoop loop;
    const CoreSoac *soac = o->fold.soac;
    int64_t size = KERNEL_GROUP_SIZE, run = TEAM * o->share->rows;
    int64_t gap = 1LL << rows_shift(o->share->rows);
    const KernelExp *team = kernel_divide(L->c, l, lower_number(L, run));
    const KernelExp *inside = kernel_modulo(L->c, l, lower_number(L, run));
    const KernelExp *first = lower_op(L, CORE_ADD, o->first, lower_op(L, CORE_MUL, team, o->chunk));
    first = lower_op(L, CORE_ADD, lower_op(L, CORE_ADD, first, inside),
                     lower_op(L, CORE_MUL, o->round, lower_number(L, run)));
    first = lower_let(L, "first", first);
    lower_is_row(first, o->width);
    const KernelExp *stride =
        lower_let(L, "stride", lower_op(L, CORE_MUL, o->chunk, lower_number(L, size / run)));
    const KernelExp *place = lower_let(
        L, "place", lower_op(L, CORE_ADD, l, kernel_divide(L->c, l, lower_number(L, gap))));
    lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, o->share->rows));
    const KernelExp *row = lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, loop.index, stride));
    if (!is_full) {
        row = lower_op(L, CORE_MIN, row, lower_op(L, CORE_SUB, o->width, lower_number(L, 1)));
    }
    row = lower_let(L, "i", row);
    lower_is_row(row, o->width);
    const KernelExp *at =
        lower_let(L, "at",
                  lower_op(L, CORE_ADD, place,
                           lower_op(L, CORE_MUL, loop.index, lower_number(L, size + size / gap))));
    for (size_t k = 0; k < soac->input_count; k++) {
        if (o->staged[k] != NULL) {
            kernel_store(L->b, o->staged[k], at,
                         lower_read(L, lower_array(L, soac->inputs[k]), &row));
        }
    }
    loop.written_out = is_full ? KERNEL_WRITE_OUT : 4;
    lower_loop_end(L, &loop);
}

/* The whole group is below the width, or not. */
static const KernelExp *is_full_group(Lower *L, const Ordered *o)
{
    const KernelExp *end =
        lower_op(L, CORE_ADD, o->first, lower_op(L, CORE_MUL, o->chunk, lower_number(L, TEAMS)));
    return lower_let(L, "full", lower_op(L, CORE_LE, end, o->width));
}

static void stage(Lower *L, Ordered *o, const KernelExp *l)
{
    LowerLoop full, part, some;
    const KernelExp *is_full = is_full_group(L, o);
    lower_block_begin(L, &full);
    stage_rows(L, o, l, true);
    KernelBlock all = lower_block_end(L, &full);
    lower_block_begin(L, &part);
    lower_block_begin(L, &some);
    stage_rows(L, o, l, false);
    KernelBlock clamped = lower_block_end(L, &some);
    kernel_if(L->b, lower_op(L, CORE_GT, o->width, lower_number(L, 0)), clamped, (KernelBlock){0});
    kernel_if(part.outer, is_full, all, lower_block_end(L, &part));
}

static void bind_staged(Lower *L, const Ordered *o, const KernelExp *row, const KernelExp *at)
{
    const CoreSoac *soac = o->fold.soac;
    for (size_t k = 0; k < soac->input_count; k++) {
        const KernelExp *value = o->staged[k] != NULL
                                     ? kernel_load(L->c, o->staged[k], at)
                                     : lower_read(L, lower_array(L, soac->inputs[k]), &row);
        lower_bind_scalar(L, soac->map->parameters[k], value);
    }
}

static void fold_staged(Lower *L, Ordered *o, const KernelExp *first, const KernelExp *place,
                        bool is_full)
{
    LowerLoop loop, block;
    lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, o->share->rows));
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, first, loop.index));
    lower_is_row(row, o->width);
    if (!is_full) {
        lower_block_begin(L, &block);
    }
    bind_staged(L, o, row, lower_let(L, "at", lower_op(L, CORE_ADD, place, loop.index)));
    lower_fold_bound(L, &o->fold, row);
    if (!is_full) {
        KernelBlock folded = lower_block_end(L, &block);
        kernel_if(L->b, lower_op(L, CORE_LT, row, o->width), folded, (KernelBlock){0});
    }
    loop.written_out = is_full ? KERNEL_WRITE_OUT : 0;
    lower_loop_end(L, &loop);
}

/* local[l] = the rows of work-item l, folded. */
static void fold(Lower *L, Ordered *o, const KernelExp *l)
{
    LowerLoop full, part;
    const KernelExp *rows = lower_number(L, o->share->rows), *team = lower_number(L, TEAM);
    const KernelExp *first = lower_op(
        L, CORE_ADD, o->first, lower_op(L, CORE_MUL, kernel_divide(L->c, l, team), o->chunk));
    const KernelExp *inside = lower_op(L, CORE_MUL, kernel_modulo(L->c, l, team), rows);
    const KernelExp *before =
        lower_op(L, CORE_MUL, o->round, lower_number(L, TEAM * o->share->rows));
    first =
        lower_let(L, "first", lower_op(L, CORE_ADD, lower_op(L, CORE_ADD, first, before), inside));
    lower_is_row(first, o->width);
    const KernelExp *gaps = kernel_divide(L->c, l, lower_number(L, 2));
    const KernelExp *place =
        lower_let(L, "place", lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, l, rows), gaps));
    o->fold = lower_fold_begin(L, o->fold.stm, o->fold.soac, o->fold.reduction);
    const KernelExp *is_full = is_full_group(L, o);
    lower_block_begin(L, &full);
    fold_staged(L, o, first, place, true);
    KernelBlock all = lower_block_end(L, &full);
    lower_block_begin(L, &part);
    fold_staged(L, o, first, place, false);
    kernel_if(part.outer, is_full, all, lower_block_end(L, &part));
    lower_fold_end(L, &o->fold, l);
}

/* ---- teams ----------------------------------------------------------------------------------- */

static void begin_teams(Lower *L, Ordered *o, const KernelExp *l)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    for (size_t k = 0; k < o->fold.reduction->count; k++) {
        kernel_store(L->b, o->team[k], l, o->fold.reduction->components[k].neutral);
    }
    kernel_if(block.outer, lower_op(L, CORE_LT, l, lower_number(L, TEAMS)),
              lower_block_end(L, &block), (KernelBlock){0});
}

static void fold_teams(Lower *L, Ordered *o, const KernelExp *l)
{
    LowerLoop block;
    const GroupReduction *reduction = o->fold.reduction;
    lower_block_begin(L, &block);
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, reduction->count + 1);
    for (size_t k = 0; k < reduction->count; k++) {
        accumulators[k].scalar =
            lower_component_buffer(L, &reduction->components[k], KERNEL_SCALAR);
        kernel_declare(L->b, accumulators[k].scalar, kernel_load(L->c, o->team[k], l));
    }
    const KernelExp *first = lower_op(L, CORE_MUL, l, lower_number(L, TEAM));
    first = lower_let(L, "first", lower_lane(L, first, KERNEL_GROUP_SIZE));
    lower_accumulate_local(L, reduction, accumulators,
                           lower_op(L, CORE_SUB, first, lower_number(L, 1)), 1, TEAM);
    for (size_t k = 0; k < reduction->count; k++) {
        kernel_store(L->b, o->team[k], l, kernel_use(L->c, accumulators[k].scalar));
    }
    kernel_if(block.outer, lower_op(L, CORE_LT, l, lower_number(L, TEAMS)),
              lower_block_end(L, &block), (KernelBlock){0});
}

static void end_teams(Lower *L, Ordered *o, const KernelExp *l)
{
    const KernelExp *is_team = lower_op(L, CORE_LT, l, lower_number(L, TEAMS));
    const KernelExp *lane = lower_lane(L, l, KERNEL_GROUP_SIZE);
    for (size_t k = 0; k < o->fold.reduction->count; k++) {
        const Component *component = &o->fold.reduction->components[k];
        kernel_store(
            L->b, component->local, lane,
            kernel_select(L->c, is_team, kernel_load(L->c, o->team[k], l), component->neutral));
    }
}

void lower_reduce_ordered(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                          GroupReduction *reduction, LowerKernel *kernel, const OrderedShare *share)
{
    LowerLoop rounds;
    Ordered o = {.fold = {stm, soac, reduction, NULL}, .kernel = kernel, .share = share};
    o.width = lower_scalar(L, soac->width);
    lower_reduce_declare(L, reduction, KERNEL_GROUP_SIZE);
    declare_staged(L, &o);
    o.chunk = lower_let(L, "chunk",
                        lower_op(L, CORE_MUL, share->rounds, lower_number(L, TEAM * share->rows)));
    o.first = lower_let(L, "start",
                        lower_op(L, CORE_MUL, kernel_use(L->c, kernel->index),
                                 lower_op(L, CORE_MUL, o.chunk, lower_number(L, TEAMS))));
    lower_is_row(o.first, o.width);
    side_by_side(L, &o, begin_teams);
    lower_loop_begin(L, &rounds, FRAME_MAP, "round", share->rounds);
    o.round = rounds.index;
    side_by_side(L, &o, stage);
    kernel_barrier(L->b);
    side_by_side(L, &o, fold);
    kernel_barrier(L->b);
    side_by_side(L, &o, fold_teams);
    lower_loop_end(L, &rounds);
    kernel_barrier(L->b);
    side_by_side(L, &o, end_teams);
}
