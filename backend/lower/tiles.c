/* The rows of reductions that read little and compute little, and whose operators commute: groups take
   tiles of them in turn.

       SEQ t over this group's tiles of 256 * 16 rows {
           first = t * 256 * 16 + l
           SEQ s < 16, written out { total = total op x[first + s * 256] } }
       SEQ over this work-item's share of what is left { total = total op x[i] }

   All 16 are read before the first is needed, neighbours by neighbours. Of elements that are narrower
   than 8 bytes a work-item reads 16 bytes by one access, four times (wide.c), where the first of them
   is so placed in memory. */
#include "backend/lower/reduce.h"

enum {
    MOST_BYTES = 4,  /* of an element of which several are read at a time */
    FEWEST_ROWS = 4, /* so many */
    WIDE_AHEAD = 4   /* times */
};

/* Tiles of a reduction: a group takes every groups-th of those that begin at `begin`. */
typedef struct Tiles {
    const RowFold *fold;
    const KernelExp *group, *groups, *l, *begin;
    WideRows wide; /* that a work-item reads at a time */
    int64_t steps; /* so many times, before it needs the first */
} Tiles;

static int64_t rows_of_tile(const Tiles *tiles)
{
    return KERNEL_GROUP_SIZE * (int64_t)tiles->wide.rows * tiles->steps;
}

/* What whole tiles are folded of these rows from `begin` on; gives how many rows that are. */
static const KernelExp *fold_tiles(Lower *L, const Tiles *tiles, const KernelExp *rows)
{
    LowerLoop loop, steps;
    const KernelExp *size = lower_number(L, rows_of_tile(tiles));
    const KernelExp *width = lower_scalar(L, tiles->fold->soac->width);
    int64_t at_once = (int64_t)tiles->wide.rows;
    const KernelExp *full = lower_let(L, "tiles", kernel_divide(L->c, rows, size));
    if (kernel_is_i64(full, 0)) {
        return full;
    }
    const KernelExp *left =
        lower_op(L, CORE_SUB, lower_op(L, CORE_ADD, full, tiles->groups), lower_number(L, 1));
    left = lower_op(L, CORE_SUB, left, tiles->group);
    lower_loop_begin(L, &loop, FRAME_MAP, "t",
                     lower_let(L, "count", kernel_divide(L->c, left, tiles->groups)));
    const KernelExp *tile =
        lower_op(L, CORE_ADD, tiles->group, lower_op(L, CORE_MUL, loop.index, tiles->groups));
    const KernelExp *first = lower_op(L, CORE_ADD, tiles->begin, lower_op(L, CORE_MUL, tile, size));
    first = lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, tiles->l, lower_number(L, at_once)));
    first = lower_let(L, "first", first);
    lower_is_row(first, width);
    lower_loop_begin(L, &steps, FRAME_MAP, "s", lower_number(L, tiles->steps));
    const KernelExp *distance =
        lower_op(L, CORE_MUL, steps.index, lower_number(L, KERNEL_GROUP_SIZE * at_once));
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, first, distance));
    size_t begin = L->b->commands.count;
    for (int64_t k = 0; k < at_once; k++) {
        lower_fold_row(L, tiles->fold, lower_op(L, CORE_ADD, row, lower_number(L, k)));
    }
    if (at_once > 1) {
        lower_wide_join(L, &tiles->wide, begin, row);
    }
    steps.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &steps);
    lower_loop_end(L, &loop);
    return lower_let(L, "done", lower_op(L, CORE_MUL, full, size));
}

static bool reads_narrow(Lower *L, const CoreSoac *soac)
{
    for (size_t k = 0; k < soac->input_count; k++) {
        if (core_prim_bytes(lower_prim(lower_array(L, soac->inputs[k])->prim)) <= MOST_BYTES) {
            return true;
        }
    }
    return false;
}

/* Where elements are narrow, so many at a time that an access of a group is a line of memory. */
static WideRows wide_rows(Lower *L, const RowFold *fold)
{
    WideRows wide = {.rows = 1};
    if (!reads_narrow(L, fold->soac) || fold->stm->pattern_count > fold->reduction->count) {
        return wide; /* what rows map out would not be side by side */
    }
    LowerLoop block;
    KernelVariable *start = kernel_variable(L->c, "start", CORE_I64, KERNEL_SCALAR, L->b->span);
    unsigned last = L->c->last_number;
    size_t before = L->b->commands.count;
    kernel_declare(L->b, start, lower_number(L, 0));
    lower_block_begin(L, &block);
    RowFold probe = lower_fold_begin(L, fold->stm, fold->soac, fold->reduction);
    size_t accumulators = L->b->commands.count;
    lower_fold_row(L, &probe, kernel_use(L->c, start));
    KernelBlock row = lower_block_end(L, &block);
    row.commands += accumulators;
    row.count -= accumulators;
    wide = lower_wide_rows(L, row, kernel_use(L->c, start), last);
    if (wide.rows < FEWEST_ROWS) {
        wide.rows = 1;
        L->b->commands.count = before;
    }
    return wide;
}

void lower_reduce_tiles(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                        GroupReduction *reduction, LowerKernel *kernel, const KernelExp *groups,
                        int64_t steps)
{
    LowerLoop local, rest;
    const KernelExp *width = lower_scalar(L, soac->width);
    lower_reduce_declare(L, reduction, KERNEL_GROUP_SIZE);
    lower_local_begin(L, kernel, &local);
    RowFold fold = lower_fold_begin(L, stm, soac, reduction);
    Tiles tiles = {.fold = &fold,
                   .group = kernel_use(L->c, kernel->index),
                   .groups = groups,
                   .l = local.index,
                   .begin = lower_number(L, 0),
                   .steps = WIDE_AHEAD};
    tiles.wide = wide_rows(L, &fold);
    if (tiles.wide.rows > 1) {
        const KernelExp *rows = kernel_select(L->c, tiles.wide.fits, width, lower_number(L, 0));
        tiles.begin = fold_tiles(L, &tiles, lower_let(L, "rows", rows));
    }
    tiles.wide.rows = 1;
    tiles.steps = steps;
    const KernelExp *done = fold_tiles(L, &tiles, lower_op(L, CORE_SUB, width, tiles.begin));
    done = lower_let(L, "done", lower_op(L, CORE_ADD, tiles.begin, done));
    const KernelExp *items = kernel_use(L->c, kernel->frame.items);
    RowsOfItem over =
        lower_rows_of_item(L, kernel->frame.item, items, lower_op(L, CORE_SUB, width, done), false);
    lower_loop_begin(L, &rest, FRAME_MAP, "t", over.count);
    const KernelExp *row =
        lower_op(L, CORE_ADD, over.first, lower_op(L, CORE_MUL, rest.index, over.step));
    lower_fold_row(L, &fold, lower_let(L, "i", lower_op(L, CORE_ADD, done, row)));
    rest.written_out = KERNEL_ONE_BY_ONE;
    lower_loop_end(L, &rest);
    lower_fold_end(L, &fold, local.index);
    lower_local_end(L, kernel, &local);
}
