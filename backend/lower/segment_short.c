/* Segmented scans of short segments whose rows lie beside each other: a group has some of them, one behind the other, in
   local memory, and a work-item scans each:

       GROUP g < groups {
           LOCAL l { for f = l, l + 256, ... below the rows of the group's segments {
                         operand[f / width * apart + f % width] = f(that row of that segment) } }
           BARRIER
           LOCAL l { the operands of segment l become their scan }
           BARRIER
           LOCAL l { for f as before { result of the row = operand[..] } } }

   What reduces the rows of the scan (segment_fold.c) goes along with it, in the second step, which then is the last.

   Neighbouring work-items read and write neighbours; segments lie an odd number of operands apart, so that work-items that go
   through one each are at different banks. */
#include "backend/lower/segment_scan.h"

/* Operands of a group at most, and bytes of local memory that they and the gaps between segments take. */
enum { MOST_OPERANDS = 4096, MOST_BYTES = 20 << 10 };

/* Rows of a segment: fewer are a work-item's own, more are too many for one after the other. (On an H200, 10^8 integers whose
   scans by rows are reduced: 0.20 ms of 12 to 128, where groups with several work-items a segment take 0.5 to 0.8, 0.29 of
   250, 0.46 of 500 and 0.83 of 700.) */
enum { LEAST_ROWS = 8, MOST_ROWS = 192, MOST_FOLDED_ROWS = 512 };

typedef struct ShortScan {
    Segments *s;
    int64_t operands;       /* of a group at most */
    const KernelExp *slots; /* segments of a group; scalars of the host, as those below */
    const KernelExp *apart; /* from a segment's first operand to the next one's */
    LowerKernel kernel;
    const KernelExp *first;   /* in the kernel: the group's first segment */
    const KernelExp *count;   /* rows of all its segments */
    KernelVariable **operand; /* local memory, one a component */
} ShortScan;

/* ---- sizes ----------------------------------------------------------------------------------- */

/* 0 where an operand is too wide. */
static int64_t most_operands(const Segments *s)
{
    int64_t bytes = segment_operand_bytes(s), operands = MOST_OPERANDS;
    while (operands >= KERNEL_GROUP_SIZE &&
           (operands + operands / LEAST_ROWS) * bytes > MOST_BYTES) {
        operands /= 2;
    }
    return operands >= KERNEL_GROUP_SIZE ? operands : 0;
}

/* A work-item has one segment at most. */
static void find_layout(Lower *L, ShortScan *scan)
{
    const KernelExp *width = scan->s->width, *one = lower_number(L, 1);
    const KernelExp *slots =
        kernel_divide(L->c, lower_number(L, scan->operands), lower_op(L, CORE_MAX, width, one));
    slots = lower_op(L, CORE_MIN, slots, lower_number(L, KERNEL_GROUP_SIZE));
    scan->slots = lower_let(L, "slots", lower_op(L, CORE_MAX, slots, one));
    const KernelExp *even =
        lower_op(L, CORE_SUB, one, kernel_modulo(L->c, width, lower_number(L, 2)));
    scan->apart =
        lower_let(L, "apart", lower_op(L, CORE_MAX, width, lower_op(L, CORE_ADD, width, even)));
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A row of one of the group's segments. */
typedef struct RowOfGroup {
    SegmentEntry entry;
    const KernelExp *row, *at; /* at: its operand */
} RowOfGroup;

typedef void RowOfGroupWork(Lower *L, ShortScan *scan, const RowOfGroup *row);

static void each_row(Lower *L, ShortScan *scan, RowOfGroupWork *work)
{
    LowerLoop local, loop, block;
    Segments *s = scan->s;
    lower_local_begin(L, &scan->kernel, &local);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, scan->operands / KERNEL_GROUP_SIZE));
    const KernelExp *turns = lower_op(L, CORE_MUL, loop.index, lower_number(L, KERNEL_GROUP_SIZE));
    const KernelExp *f = lower_let(L, "f", lower_op(L, CORE_ADD, turns, local.index));
    lower_is_row(f, scan->count);
    lower_block_begin(L, &block);
    const KernelExp *slot = lower_let(L, "slot", kernel_divide(L->c, f, s->width));
    lower_is_row(slot, scan->slots);
    RowOfGroup row;
    row.row = lower_let(L, "i", kernel_modulo(L->c, f, s->width));
    lower_is_row(row.row, s->width);
    const KernelExp *at = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, slot, scan->apart), row.row);
    row.at = lower_let(L, "at", at);
    const KernelExp *segment = lower_let(L, "segment", lower_op(L, CORE_ADD, scan->first, slot));
    lower_is_row(segment, s->count);
    row.entry = segment_enter(L, s, segment);
    work(L, scan, &row);
    kernel_if(block.outer, lower_op(L, CORE_LT, f, scan->count), lower_block_end(L, &block),
              (KernelBlock){0});
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    lower_local_end(L, &scan->kernel, &local);
}

/* work, where the segment may be touched */
static void guarded(Lower *L, ShortScan *scan, const RowOfGroup *row, RowOfGroupWork *work)
{
    LowerLoop block;
    if (row->entry.guard == NULL) {
        work(L, scan, row);
        return;
    }
    lower_block_begin(L, &block);
    work(L, scan, row);
    kernel_if(block.outer, row->entry.guard, lower_block_end(L, &block), (KernelBlock){0});
}

static void map_row(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    Segments *s = scan->s;
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    segment_row(L, s, &row->entry, row->row, values);
    segment_stores(L, s, scan->operand, row->at, values);
}

static void map_guarded(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    guarded(L, scan, row, map_row);
}

static void take_row(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    Segments *s = scan->s;
    segment_begin_taker(L, s);
    segment_take(L, s, &row->entry, row->row, segment_loads(L, s, scan->operand, row->at));
}

static void take_guarded(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    guarded(L, scan, row, take_row);
}

/* Work-item l has segment l of the group, where there is one. */
typedef struct OwnSegment {
    LowerLoop local, block, loop;
    const KernelExp *segment, *start; /* its number; its first operand */
    KernelVariable **running;         /* what its rows have come to */
} OwnSegment;

static void begin_own_segment(Lower *L, ShortScan *scan, OwnSegment *own)
{
    own->running = ARENA_ARRAY(L->c->arena, KernelVariable *, scan->s->scanned + 1);
    lower_local_begin(L, &scan->kernel, &own->local);
    const KernelExp *segment = lower_op(L, CORE_ADD, scan->first, own->local.index);
    own->segment = lower_let(L, "segment", segment);
    lower_is_row(own->segment, scan->s->count);
    lower_block_begin(L, &own->block);
    own->start = lower_let(L, "start", lower_op(L, CORE_MUL, own->local.index, scan->apart));
}

static void end_own_segment(Lower *L, ShortScan *scan, OwnSegment *own)
{
    const KernelExp *inside =
        lower_op(L, CORE_AND, lower_op(L, CORE_LT, own->local.index, scan->slots),
                 lower_op(L, CORE_LT, own->segment, scan->s->count));
    kernel_if(own->block.outer, inside, lower_block_end(L, &own->block), (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &own->local);
}

/* The operands become their scan. */
static void scan_segments(Lower *L, ShortScan *scan)
{
    Segments *s = scan->s;
    OwnSegment own;
    begin_own_segment(L, scan, &own);
    Value *uses =
        segment_variables(L, s, segment_loads(L, s, scan->operand, own.start), own.running);
    const KernelExp *more = lower_op(L, CORE_SUB, s->width, lower_number(L, 1));
    lower_loop_begin(L, &own.loop, FRAME_MAP, "j", lower_let(L, "more", more));
    const KernelExp *next = lower_op(L, CORE_ADD, own.start, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, next, own.loop.index));
    segment_change(L, s, own.running,
                   segment_combine(L, s, uses, segment_loads(L, s, scan->operand, at)));
    segment_stores(L, s, scan->operand, at, uses);
    own.loop.written_out = 4;
    lower_loop_end(L, &own.loop);
    if (segment_has_scalars(s)) {
        SegmentEntry entry = segment_enter(L, s, own.segment);
        segment_leave(L, s, &entry, NULL);
    }
    end_own_segment(L, scan, &own);
}

/* What reduces the rows of the scan goes over them as they are scanned, and leaves its results. */
static void fold_segments(Lower *L, ShortScan *scan)
{
    Segments *s = scan->s;
    OwnSegment own;
    begin_own_segment(L, scan, &own);
    SegmentEntry entry = segment_enter(L, s, own.segment);
    segment_begin_taker(L, s);
    Value *uses = segment_variables(L, s, segment_neutral(L, s), own.running);
    const KernelExp *rows = s->width;
    if (entry.guard != NULL) {
        rows = kernel_select(L->c, entry.guard, rows, lower_number(L, 0));
    }
    lower_loop_begin(L, &own.loop, FRAME_MAP, "j", lower_let(L, "count", rows));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, own.start, own.loop.index));
    segment_change(L, s, own.running,
                   segment_combine(L, s, uses, segment_loads(L, s, scan->operand, at)));
    segment_take(L, s, &entry, own.loop.index, uses);
    own.loop.written_out = 4;
    lower_loop_end(L, &own.loop);
    segment_bind_fold(L, s);
    segment_leave(L, s, &entry, NULL);
    end_own_segment(L, scan, &own);
}

/* Rows of the scan are results beside what they are reduced to. */
static bool stores_rows(const Segments *s)
{
    bool stores = false;
    for (size_t k = 0; k < s->body->result_count; k++) {
        stores = stores || segment_binds(s->stm, s->body->results[k]);
    }
    return stores;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool make_kernel(Lower *L, ShortScan *scan)
{
    Segments *s = scan->s;
    const KernelExp *groups = lower_let(L, "groups", lower_ceiling(L, s->count, scan->slots));
    lower_kernel_begin(L, &scan->kernel, true);
    const KernelExp *first =
        lower_op(L, CORE_MUL, kernel_use(L->c, scan->kernel.index), scan->slots);
    scan->first = lower_let(L, "first", first);
    lower_is_row(scan->first, s->count);
    const KernelExp *left = lower_op(L, CORE_SUB, s->count, scan->first);
    left = lower_op(L, CORE_MIN, scan->slots, left);
    scan->count = lower_let(L, "rows", lower_op(L, CORE_MUL, left, s->width));
    scan->operand = segment_locals(L, s, scan->operands + scan->operands / LEAST_ROWS);
    each_row(L, scan, map_guarded);
    kernel_barrier(L->b);
    if (s->fold != NULL) {
        fold_segments(L, scan);
    } else {
        scan_segments(L, scan);
        kernel_barrier(L->b);
        each_row(L, scan, take_guarded);
    }
    L->failed = L->failed || scan->kernel.frame.scratch.count > 0;
    return lower_kernel_end(L, &scan->kernel, "segments", s->text, groups);
}

KernelBlock segment_scan_short(Lower *L, Segments *s, KernelBlock otherwise)
{
    LowerLoop choice, version;
    ShortScan scan = {.s = s, .operands = most_operands(s)};
    int64_t most = s->fold != NULL ? MOST_FOLDED_ROWS : MOST_ROWS;
    bool may_be =
        s->width->kind != KERNEL_CONSTANT || (s->width->as.constant.as.integer >= LEAST_ROWS &&
                                              s->width->as.constant.as.integer <= most);
    if (scan.operands == 0 || (s->fold != NULL && stores_rows(s)) || !may_be) {
        return otherwise;
    }
    lower_block_begin(L, &choice);
    lower_block_begin(L, &version);
    find_layout(L, &scan);
    bool good = make_kernel(L, &scan);
    KernelBlock block = lower_block_end(L, &version);
    if (good) {
        const KernelExp *suits =
            lower_op(L, CORE_AND, lower_op(L, CORE_GE, s->width, lower_number(L, LEAST_ROWS)),
                     lower_op(L, CORE_LE, s->width, lower_number(L, most)));
        kernel_if(L->b, suits, block, otherwise);
    } else {
        kernel_add_block(L->b, otherwise);
    }
    return lower_block_end(L, &choice);
}
