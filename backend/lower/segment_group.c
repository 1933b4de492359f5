/* Segmented reductions by work-groups: `lanes` work-items of a group share a segment, 2 to 256 of
   them, as many segments as fit are in a group, and very long segments are in several parts, each
   of a group:

       GROUP g < groups {
           LOCAL { segment, part, lane;  total = neutral
                   SEQ over this lane's rows of the part { ...; total = total op x }
                   local[l] = total }
           SEQ k < log2(lanes) { BARRIER  LOCAL { where l is even in units of 2^k:
                                                  local[l] = local[l] op local[l + 2^k] } }
           SEQ once if there are several parts a segment {
               LOCAL { partial[g] = local[0] }
               ARRIVE last, of the parts of this segment
               LOCAL { local[l] = this lane's share of the partials, if last, else neutral }
               the tree again }
           LOCAL { if lane == 0 (and last) { what comes after; results } }
       }

   `lanes` and `parts` are arguments: one kernel serves all sizes. Work-items without a segment take
   segment 0 and none of its rows, so that all of them meet all barriers. Lanes take every lanes-th
   row where all operators commute, so that neighbours read neighbours, else a contiguous piece; the
   tree keeps the order. */
#include "backend/lower/segments.h"

enum {
    MOST_LEVELS = 8,
    ROWS_OF_LANE = 16,
    MANY_ROWS_OF_LANE = 64, /* where the segment has so many for LANES_OF_LONG and more */
    LANES_OF_LONG = 32,
    FEW_ROWS_OF_LANE = 2,
    COALESCED = 8,
    MOST_AT_ONCE = 16, /* rows that a lane may read by one access: parts begin at a multiple */
    ROWS_OF_PART = 1024,
    ACCESS_OF_PARTS = 8 /* rows that it takes to read several at a time in several parts */
};
_Static_assert(1 << MOST_LEVELS == KERNEL_GROUP_SIZE, "the tree reduces a group");

/* Scalars of the host. */
typedef struct Layout {
    int64_t access;           /* rows that a lane may read at a time: a constant */
    const KernelExp *levels;  /* of the tree */
    const KernelExp *lanes;   /* 2^levels: work-items a part */
    const KernelExp *slots;   /* parts a group */
    const KernelExp *parts;   /* of a segment */
    const KernelExp *several; /* 1 where there are several parts a segment, else 0 */
    const KernelExp *chunk;   /* rows of a part */
    const KernelExp *units;   /* parts of all segments */
    const KernelExp *groups;
} Layout;

typedef struct Shared {
    Segments *s;
    Layout layout;
    LowerKernel kernel;
    KernelVariable **local, **partial; /* one an accumulator */
    KernelVariable *last;
} Shared;

/* ---- the layout ------------------------------------------------------------------------------ */

/* 1, or how many rows a lane may read at a time: found in a kernel that is thrown away. */
static int64_t rows_of_access(Lower *L, const Segments *s)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    const KernelExp *group = kernel_use(L->c, kernel.index);
    SegmentEntry entry = segment_enter(L, s, group);
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_ADD, group, s->width));
    int64_t rows = (int64_t)segment_wide(L, s, &entry, first).rows;
    L->failed = true;
    lower_kernel_end(L, &kernel, "segments", s->text, lower_number(L, 1));
    return rows;
}

/* Lanes of a device that has enough to do: few in long segments, since each of them begins and ends
   once; as many as keep it busy where segments are few. */
static const KernelExp *busy_lanes(Lower *L, const Segments *s, const KernelExp *work_items)
{
    const KernelExp *some =
        lower_let(L, "some", lower_ceiling(L, s->width, lower_number(L, ROWS_OF_LANE)));
    const KernelExp *wanted =
        kernel_divide(L->c, lower_op(L, CORE_MUL, work_items, lower_number(L, 2)),
                      lower_op(L, CORE_MAX, s->count, lower_number(L, 1)));
    wanted = lower_op(L, CORE_MAX, wanted, lower_number(L, LANES_OF_LONG));
    const KernelExp *more =
        lower_let(L, "more", lower_ceiling(L, s->width, lower_number(L, MANY_ROWS_OF_LANE)));
    return lower_op(L, CORE_MAX, lower_op(L, CORE_MIN, some, wanted), more);
}

/* Several parts a segment where few long ones alone would not keep the device busy: then all lanes
   of a group have a part, since a busy device has more lanes for segments that are fewer. */
static const KernelExp *count_parts(Lower *L, const Segments *s, const KernelExp *work_items)
{
    const KernelExp *one = lower_number(L, 1);
    if (s->width->kind == KERNEL_CONSTANT &&
        s->width->as.constant.as.integer < 2 * (int64_t)ROWS_OF_PART) {
        return one;
    }
    const KernelExp *wanted =
        kernel_divide(L->c, lower_op(L, CORE_MUL, work_items, lower_number(L, 2)),
                      lower_number(L, KERNEL_GROUP_SIZE));
    const KernelExp *parts =
        kernel_divide(L->c, lower_let(L, "wanted", wanted), lower_op(L, CORE_MAX, s->count, one));
    parts = lower_op(L, CORE_MIN, lower_let(L, "parts", parts),
                     kernel_divide(L->c, s->width, lower_number(L, ROWS_OF_PART)));
    const KernelExp *counted =
        lower_op(L, CORE_LE, s->count, lower_number(L, KERNEL_MOST_ARRIVALS));
    parts = kernel_select(L->c, counted, lower_op(L, CORE_MAX, parts, one), one);
    return lower_let(L, "parts", parts);
}

static void find_parts(Lower *L, const Segments *s, const KernelExp *work_items, Layout *layout)
{
    layout->parts = count_parts(L, s, work_items);
    const KernelExp *several = lower_op(L, CORE_GT, layout->parts, lower_number(L, 1));
    layout->several = lower_let(L, "several", kernel_convert(L->c, CORE_I64, several));
    const KernelExp *whole = lower_op(L, CORE_MUL, layout->parts, lower_number(L, MOST_AT_ONCE));
    const KernelExp *chunk = lower_ceiling(L, s->width, lower_let(L, "whole", whole));
    chunk = lower_op(L, CORE_MUL, chunk, lower_number(L, MOST_AT_ONCE));
    layout->chunk = lower_let(L, "chunk", chunk);
    layout->units = lower_let(L, "units", lower_op(L, CORE_MUL, s->count, layout->parts));
}

/* Segments that are known to be short have one part each. */
static bool may_have_parts(const Layout *layout)
{
    return !kernel_is_i64(layout->several, 0);
}

/* There are several parts a segment. */
static const KernelExp *in_parts(Lower *L, const Layout *layout)
{
    return lower_op(L, CORE_NE, layout->several, lower_number(L, 0));
}

/* The least power of two of lanes that leaves a lane a few rows; fewer rows where otherwise the
   device were not busy. With 8 lanes or more of them, or 2 that read 4 rows at a time, neighbours
   read whole lines of memory. */
static void find_lanes(Lower *L, const Segments *s, const KernelExp *work_items, Layout *layout)
{
    const KernelExp *most = s->width;
    if (!s->heavy) {
        const KernelExp *rows = lower_let(L, "rows", lower_op(L, CORE_MUL, s->count, s->width));
        const KernelExp *busy =
            lower_op(L, CORE_GE, rows, lower_op(L, CORE_MUL, work_items, lower_number(L, 16)));
        const KernelExp *few =
            lower_let(L, "few", lower_ceiling(L, s->width, lower_number(L, FEW_ROWS_OF_LANE)));
        busy = lower_let(L, "busy", busy);
        most = kernel_select(L->c, busy, busy_lanes(L, s, work_items), few);
    }
    const KernelExp *rest = kernel_modulo(L->c, s->width, lower_number(L, layout->access));
    const KernelExp *line =
        kernel_select(L->c, lower_op(L, CORE_EQ, rest, lower_number(L, 0)),
                      lower_number(L, COALESCED / layout->access), lower_number(L, COALESCED));
    most = lower_op(
        L, CORE_MAX, lower_let(L, "most", most),
        lower_op(L, CORE_MIN, line, kernel_divide(L->c, s->width, lower_number(L, COALESCED))));
    most = lower_let(L, "most", most);
    const KernelExp *levels = lower_number(L, 1);
    for (int k = 1; k < MOST_LEVELS; k++) {
        const KernelExp *more = lower_op(L, CORE_GT, most, lower_number(L, (int64_t)1 << k));
        levels = lower_op(L, CORE_ADD, levels, kernel_convert(L->c, CORE_I64, more));
    }
    levels = kernel_select(L->c, in_parts(L, layout), lower_number(L, MOST_LEVELS), levels);
    layout->levels = lower_at_most(lower_let(L, "levels", levels), MOST_LEVELS);
    const KernelExp *lanes = lower_op(L, CORE_SHL, lower_number(L, 1), layout->levels);
    layout->lanes = lower_at_most(lower_let(L, "lanes", lanes), KERNEL_GROUP_SIZE);
    const KernelExp *slots = kernel_divide(L->c, lower_number(L, KERNEL_GROUP_SIZE), layout->lanes);
    layout->slots = lower_at_most(lower_let(L, "slots", slots), KERNEL_GROUP_SIZE);
    layout->groups = lower_let(L, "groups", lower_ceiling(L, layout->units, layout->slots));
}

/* ---- steps of the kernel --------------------------------------------------------------------- */

/* A work-item's place. */
typedef struct Lane {
    const KernelExp *lane;    /* in its part */
    const KernelExp *part;    /* in its segment */
    const KernelExp *segment; /* 0 where there is none for it */
    const KernelExp *inside;  /* there is one */
} Lane;

/* A name for what is never negative and at most about the number of units, of rows, or of
   work-items, so that 32 bits hold it in small launches (kernel.h, is_row). */
static const KernelExp *let_narrow(Lower *L, const Shared *shared, const char *text,
                                   const KernelExp *exp)
{
    const KernelExp *width = shared->s->width, *value = lower_let(L, text, exp);
    if (width->kind != KERNEL_CONSTANT || width->as.constant.as.integer < KERNEL_SMALL_EXTENT) {
        lower_is_row(value, shared->layout.units);
    }
    return value;
}

static Lane find_lane(Lower *L, const Shared *shared, const KernelExp *l)
{
    const Layout *layout = &shared->layout;
    const KernelExp *mask = lower_op(L, CORE_SUB, layout->lanes, lower_number(L, 1));
    const KernelExp *group = kernel_use(L->c, shared->kernel.index);
    Lane lane = {.lane = let_narrow(L, shared, "lane", lower_op(L, CORE_AND, l, mask))};
    const KernelExp *slot = lower_op(L, CORE_SHR, l, layout->levels);
    const KernelExp *unit =
        lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, group, layout->slots), slot);
    unit = let_narrow(L, shared, "unit", unit);
    lane.inside = lower_let(L, "inside", lower_op(L, CORE_LT, unit, layout->units));
    unit =
        let_narrow(L, shared, "unit", kernel_select(L->c, lane.inside, unit, lower_number(L, 0)));
    /* Most often a segment is one part, and nothing need be divided. */
    lane.segment =
        kernel_select(L->c, in_parts(L, layout), kernel_divide(L->c, unit, layout->parts), unit);
    lane.segment = let_narrow(L, shared, "segment", lane.segment);
    const KernelExp *before = lower_op(L, CORE_MUL, lane.segment, layout->parts);
    const KernelExp *part = kernel_select(L->c, in_parts(L, layout),
                                          lower_op(L, CORE_SUB, unit, before), lower_number(L, 0));
    lane.part = let_narrow(L, shared, "part", part);
    return lane;
}

static void keep_totals(Lower *L, const Shared *shared, const KernelExp *l,
                        const Accumulator *accumulators)
{
    for (size_t k = 0; k < shared->s->reduced; k++) {
        kernel_store(L->b, shared->local[k], l, lower_accumulated(L, &accumulators[k]).scalar);
    }
}

/* What a lane takes of its part, rows or runs of rows. */
typedef struct Share {
    const KernelExp *first, *count, *step;
} Share;

/* Of `left` things that begin at `begin`: every lanes-th, or a piece that is contiguous. */
static Share share_of_lane(Lower *L, const Shared *shared, const KernelExp *lane,
                           const KernelExp *left)
{
    const Layout *layout = &shared->layout;
    Share share = {.first = lane, .step = layout->lanes};
    if (shared->s->in_order) {
        const KernelExp *piece =
            let_narrow(L, shared, "piece", lower_ceiling(L, left, layout->lanes));
        share.first = let_narrow(L, shared, "skipped", lower_op(L, CORE_MUL, lane, piece));
        share.count = lower_op(L, CORE_MIN, piece, lower_op(L, CORE_SUB, left, share.first));
        share.count = lower_op(L, CORE_MAX, share.count, lower_number(L, 0));
        share.step = lower_number(L, 1);
    } else {
        const KernelExp *rest =
            lower_op(L, CORE_SUB, lower_op(L, CORE_ADD, left, layout->lanes), lane);
        rest = let_narrow(L, shared, "rest", lower_op(L, CORE_SUB, rest, lower_number(L, 1)));
        share.count = lower_op(L, CORE_SHR, rest, layout->levels);
    }
    share.count = let_narrow(L, shared, "count", share.count);
    return share;
}

/* What fills whole accesses to memory, and begins where one may: `left` rows from `first` on. Gives
   how many rows that are. What is left over of them is less than an access; in order it is the last
   lane's. In several parts, wide accesses of elements that are no bytes were found slower. */
static const KernelExp *reduce_wide(Lower *L, const Shared *shared, const SegmentEntry *entry,
                                    Accumulator *accumulators, const WideRows *wide,
                                    const KernelExp *lane, const KernelExp *first,
                                    const KernelExp *left)
{
    const KernelExp *rows = lower_number(L, (int64_t)wide->rows);
    const KernelExp *fits = wide->fits;
    if (wide->rows < ACCESS_OF_PARTS) {
        const KernelExp *one_part =
            lower_op(L, CORE_EQ, shared->layout.several, lower_number(L, 0));
        fits = lower_op(L, CORE_AND, fits, one_part);
    }
    const KernelExp *runs =
        kernel_select(L->c, fits, kernel_divide(L->c, left, rows), lower_number(L, 0));
    runs = let_narrow(L, shared, "runs", runs);
    Share share = share_of_lane(L, shared, lane, runs);
    const KernelExp *begin = lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, share.first, rows));
    begin = let_narrow(L, shared, "begin", begin);
    const KernelExp *stride = lower_let(L, "stride", lower_op(L, CORE_MUL, share.step, rows));
    segment_wide_rows(L, shared->s, entry, accumulators, wide, begin, share.count, stride);
    return let_narrow(L, shared, "wide", lower_op(L, CORE_MUL, runs, rows));
}

/* Each lane's rows of its part. */
static void reduce_rows(Lower *L, Shared *shared)
{
    Segments *s = shared->s;
    const Layout *layout = &shared->layout;
    LowerLoop local;
    lower_local_begin(L, &shared->kernel, &local);
    Lane lane = find_lane(L, shared, local.index);
    SegmentEntry entry = segment_enter(L, s, lane.segment);
    Accumulator *accumulators = segment_accumulators(L, s);
    const KernelExp *first = lower_op(L, CORE_MUL, lane.part, layout->chunk);
    first = let_narrow(L, shared, "first", first);
    const KernelExp *left =
        lower_op(L, CORE_MIN, layout->chunk, lower_op(L, CORE_SUB, s->width, first));
    left = kernel_select(L->c, lane.inside, lower_op(L, CORE_MAX, left, lower_number(L, 0)),
                         lower_number(L, 0));
    left = let_narrow(L, shared, "left", left);
    WideRows wide = segment_wide(L, s, &entry, first);
    const KernelExp *done = lower_number(L, 0);
    if (wide.rows > 1) {
        done = reduce_wide(L, shared, &entry, accumulators, &wide, lane.lane, first, left);
        left = let_narrow(L, shared, "left", lower_op(L, CORE_SUB, left, done));
        first = let_narrow(L, shared, "first", lower_op(L, CORE_ADD, first, done));
    }
    Share share = share_of_lane(L, shared, lane.lane, left);
    if (wide.rows > 1 && s->in_order) {
        const KernelExp *is_rest =
            lower_let(L, "rest", lower_op(L, CORE_GT, done, lower_number(L, 0)));
        const KernelExp *is_last = lower_op(
            L, CORE_EQ, lane.lane, lower_op(L, CORE_SUB, shared->layout.lanes, lower_number(L, 1)));
        const KernelExp *rest = kernel_select(L->c, is_last, left, lower_number(L, 0));
        share.first = kernel_select(L->c, is_rest, lower_number(L, 0), share.first);
        share.count = kernel_select(L->c, is_rest, rest, share.count);
    }
    segment_rows(L, s, &entry, accumulators, lower_op(L, CORE_ADD, first, share.first), share.count,
                 share.step);
    keep_totals(L, shared, local.index, accumulators);
    lower_local_end(L, &shared->kernel, &local);
}

static const KernelExp **kept_totals(Lower *L, const Shared *shared, const KernelExp *at)
{
    const KernelExp **totals = ARENA_ARRAY(L->c->arena, const KernelExp *, shared->s->reduced + 1);
    for (size_t k = 0; k < shared->s->reduced; k++) {
        totals[k] = kernel_load(L->c, shared->local[k], at);
    }
    return totals;
}

/* local[l] = local[l] op local[l + distance] */
static void combine(Lower *L, const Shared *shared, const KernelExp *l, const KernelExp *distance)
{
    const Segments *s = shared->s;
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, s->reduced + 1);
    Value *operands = ARENA_ARRAY(L->c->arena, Value, s->reduced + 1);
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, l, distance));
    const KernelExp **left = kept_totals(L, shared, l), **right = kept_totals(L, shared, at);
    for (size_t k = 0; k < s->reduced; k++) {
        const char *text = shared->local[k]->text;
        accumulators[k].scalar =
            kernel_variable(L->c, text, left[k]->prim, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, accumulators[k].scalar, left[k]);
        operands[k].scalar = lower_let(L, text, right[k]);
    }
    segment_accumulate(L, s, accumulators, operands);
    keep_totals(L, shared, l, accumulators);
}

/* The first of each part's lanes gets its total. */
static void reduce_tree(Lower *L, Shared *shared)
{
    LowerLoop loop, local, block;
    lower_loop_begin(L, &loop, FRAME_MAP, "k", shared->layout.levels);
    kernel_barrier(L->b);
    lower_local_begin(L, &shared->kernel, &local);
    const KernelExp *distance = lower_op(L, CORE_SHL, lower_number(L, 1), loop.index);
    distance = lower_let(L, "distance", distance);
    const KernelExp *mask =
        lower_op(L, CORE_SUB, lower_op(L, CORE_ADD, distance, distance), lower_number(L, 1));
    const KernelExp *low = lower_op(L, CORE_AND, local.index, lower_let(L, "mask", mask));
    const KernelExp *works = lower_op(L, CORE_EQ, low, lower_number(L, 0));
    lower_block_begin(L, &block);
    combine(L, shared, local.index, distance);
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, works, body, (KernelBlock){0});
    lower_local_end(L, &shared->kernel, &local);
    loop.written_out = KERNEL_ONE_BY_ONE;
    lower_loop_end(L, &loop);
}

/* The first work-item has the total of its part: it has stored that itself. */
static void publish(Lower *L, Shared *shared)
{
    LowerLoop local, block;
    lower_local_begin(L, &shared->kernel, &local);
    lower_block_begin(L, &block);
    const KernelExp **totals = kept_totals(L, shared, local.index);
    for (size_t k = 0; k < shared->s->reduced; k++) {
        kernel_store(L->b, shared->partial[k], kernel_use(L->c, shared->kernel.index), totals[k]);
    }
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, local.index, lower_number(L, 0)), store, (KernelBlock){0});
    lower_local_end(L, &shared->kernel, &local);
}

/* The group that is last of its segment's takes all parts, in their order. Here a group is a part,
   and has a segment. */
static void reduce_parts(Lower *L, Shared *shared)
{
    const Segments *s = shared->s;
    const KernelExp *parts = shared->layout.parts;
    LowerLoop local, loop;
    const KernelExp *segment = kernel_divide(L->c, kernel_use(L->c, shared->kernel.index), parts);
    kernel_arrive_at(L->b, shared->last, segment, parts);
    lower_local_begin(L, &shared->kernel, &local);
    Lane lane = find_lane(L, shared, local.index);
    segment_enter(L, s, lane.segment);
    Accumulator *accumulators = segment_accumulators(L, s);
    const KernelExp *piece = lower_ceiling(L, parts, lower_number(L, KERNEL_GROUP_SIZE));
    piece = lower_let(L, "piece", piece);
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, local.index, piece));
    const KernelExp *count = lower_op(L, CORE_MIN, piece, lower_op(L, CORE_SUB, parts, first));
    count = kernel_select(L->c, kernel_load(L->c, shared->last, lower_number(L, 0)), count,
                          lower_number(L, 0));
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_let(L, "count", count));
    const KernelExp *at = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, lane.segment, parts), first);
    at = lower_let(L, "at", lower_op(L, CORE_ADD, at, loop.index));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, s->reduced + 1);
    for (size_t k = 0; k < s->reduced; k++) {
        operands[k].scalar =
            lower_let(L, shared->local[k]->text, kernel_load(L->c, shared->partial[k], at));
    }
    segment_accumulate(L, s, accumulators, operands);
    loop.written_out = KERNEL_ONE_BY_ONE;
    lower_loop_end(L, &loop);
    keep_totals(L, shared, local.index, accumulators);
    lower_local_end(L, &shared->kernel, &local);
}

/* So have the first lanes of all parts. */
static void finish(Lower *L, Shared *shared)
{
    LowerLoop local, block;
    lower_local_begin(L, &shared->kernel, &local);
    Lane lane = find_lane(L, shared, local.index);
    const KernelExp *works =
        lower_op(L, CORE_AND, lane.inside, lower_op(L, CORE_EQ, lane.lane, lower_number(L, 0)));
    if (may_have_parts(&shared->layout)) {
        works = lower_op(L, CORE_AND, works,
                         kernel_select(L->c, in_parts(L, &shared->layout),
                                       kernel_load(L->c, shared->last, lower_number(L, 0)),
                                       kernel_constant(L->c, core_bool(true))));
    }
    lower_block_begin(L, &block);
    SegmentEntry entry = segment_enter(L, shared->s, lane.segment);
    segment_leave(L, shared->s, &entry, kept_totals(L, shared, local.index));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, works, body, (KernelBlock){0});
    lower_local_end(L, &shared->kernel, &local);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void make_kernel(Lower *L, Shared *shared)
{
    for (size_t k = 0; k < shared->s->reduced; k++) {
        shared->local[k] = segment_buffer(L, shared->s, k, KERNEL_LOCAL);
        kernel_declare_buffer(L->b, shared->local[k], KERNEL_GROUP_SIZE);
    }
    if (may_have_parts(&shared->layout)) {
        shared->last = kernel_variable(L->c, "last", CORE_BOOL, KERNEL_LOCAL, L->b->span);
        kernel_declare_buffer(L->b, shared->last, 1);
    }
    reduce_rows(L, shared);
    reduce_tree(L, shared);
    if (may_have_parts(&shared->layout)) {
        LowerLoop again;
        lower_loop_begin(L, &again, FRAME_MAP, "again", shared->layout.several);
        publish(L, shared);
        reduce_parts(L, shared);
        reduce_tree(L, shared);
        again.written_out = KERNEL_ONE_BY_ONE;
        lower_loop_end(L, &again);
    }
    finish(L, shared);
}

bool segment_by_groups(Lower *L, Segments *s, const KernelExp *work_items)
{
    Shared shared = {.s = s};
    shared.layout.access = rows_of_access(L, s);
    find_parts(L, s, work_items, &shared.layout);
    find_lanes(L, s, work_items, &shared.layout);
    shared.local = ARENA_ARRAY(L->c->arena, KernelVariable *, s->reduced + 1);
    shared.partial = ARENA_ARRAY(L->c->arena, KernelVariable *, s->reduced + 1);
    const KernelExp *partials =
        kernel_select(L->c, in_parts(L, &shared.layout), shared.layout.units, lower_number(L, 1));
    partials = lower_let(L, "partials", partials);
    const size_t kept = may_have_parts(&shared.layout) ? s->reduced : 0;
    for (size_t k = 0; k < kept; k++) {
        shared.partial[k] = segment_buffer(L, s, k, KERNEL_GLOBAL);
        kernel_allocate(L->b, shared.partial[k], partials);
    }
    lower_kernel_begin(L, &shared.kernel, true);
    make_kernel(L, &shared);
    /* A piece of memory for each work-item of so many groups were too much. */
    L->failed = L->failed || shared.kernel.frame.scratch.count > 0;
    bool good = lower_kernel_end(L, &shared.kernel, "segments", s->text, shared.layout.groups);
    for (size_t k = 0; k < kept; k++) {
        kernel_release(L->b, shared.partial[k]);
    }
    return good;
}
