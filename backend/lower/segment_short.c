/* Segmented scans of short segments whose rows lie beside each other: a group has some of them, one behind the other, in
   local memory:

       GROUP g < groups {
           LOCAL l { for f = l, l + 256, ... below the rows of the group's segments {
                         operand[..] = f(that row of that segment) } }
           BARRIER
           ...                                             the operands become their scan
           BARRIER
           LOCAL l { for f as before { result of the row = operand[..] } } }

   Neighbouring work-items read and write neighbours. To scan what is there, each work-item has as many neighbouring operands
   as another, wherever segments begin; before its first one comes what the work-items before it have of its segment:

           LOCAL l { own operands become their scan, anew where a segment begins;  total[l] = the last }
           SEQ k < levels { BARRIER  LOCAL l { if work-item l - 2^k has operands of the segment of the last one of l {
                                                   total'[l] = total[l - 2^k] op total[l] } } }
           BARRIER
           LOCAL l { own operands up to the next segment = total[l - 1] op these }

   A gap behind the operands of a work-item has work-items that go through theirs at different banks.

   What reduces the rows of the scan (segment_fold.c) goes over them as they are scanned, and is the last step: a work-item
   has a segment. These lie an odd number of operands apart then. */
#include "backend/lower/segment_scan.h"

/* Operands of a work-item and bytes of local memory at most: with i64, as many groups are resident as work-items can be. */
enum { MOST_OWN = 8, MOST_BYTES = 30 << 10 };

/* Where a work-item has a segment: operands of a group at most, and bytes that they and the gaps between segments take. */
enum { MOST_OPERANDS = 4096, MOST_BYTES_FOLDED = 20 << 10 };

/* Rows of a segment. Where work-items share operands, two segments at least fit, so that they fill two thirds of a group; where
   a work-item has a segment, fewer rows are read by one as well, and more are too many for one after the other. (On an H200,
   10^8 integers: scanned by rows in 0.40 ms of 9 to 400, 0.51 of 700, 0.43 of 900, where a copy takes 0.42; reduced, too, 0.20
   of 12 to 128, 0.29 of 250, 0.46 of 500 and 0.83 of 700.) */
enum { LEAST_ROWS = 2, LEAST_FOLDED_ROWS = 8, MOST_FOLDED_ROWS = 512 };

typedef struct ShortScan {
    Segments *s;
    int64_t operands;        /* of a group at most */
    int64_t own;             /* of a work-item; 0: it has a segment */
    const KernelExp *slots;  /* segments of a group; scalars of the host, as those below */
    const KernelExp *apart;  /* own = 0: from a segment's first operand to the next one's */
    const KernelExp *levels; /* own > 0: 2^levels work-items have a segment's operands, at most */
    LowerKernel kernel;
    const KernelExp *first;            /* in the kernel: the group's first segment */
    const KernelExp *count;            /* rows of all its segments */
    KernelVariable **operand, **total; /* local memory, one a component; as in ScanKernel */
} ShortScan;

/* ---- sizes ----------------------------------------------------------------------------------- */

/* How many operands each work-item has, with the gap and two totals; 0 where they are too wide. */
static int64_t own_operands(const Segments *s)
{
    int64_t own = MOST_OWN;
    while (own > 1 && (own + 3) * KERNEL_GROUP_SIZE * segment_operand_bytes(s) > MOST_BYTES) {
        own /= 2;
    }
    return own > 1 ? own : 0;
}

/* Where a work-item has a segment; 0 where an operand is too wide. */
static int64_t most_operands(const Segments *s)
{
    int64_t bytes = segment_operand_bytes(s), operands = MOST_OPERANDS;
    while (operands >= KERNEL_GROUP_SIZE &&
           (operands + operands / LEAST_FOLDED_ROWS) * bytes > MOST_BYTES_FOLDED) {
        operands /= 2;
    }
    return operands >= KERNEL_GROUP_SIZE ? operands : 0;
}

static void find_layout(Lower *L, ShortScan *scan)
{
    const KernelExp *width = scan->s->width, *one = lower_number(L, 1);
    const KernelExp *slots =
        kernel_divide(L->c, lower_number(L, scan->operands), lower_op(L, CORE_MAX, width, one));
    if (scan->own == 0 || segment_has_scalars(scan->s)) { /* a work-item has one at most */
        slots = lower_op(L, CORE_MIN, slots, lower_number(L, KERNEL_GROUP_SIZE));
    }
    scan->slots = lower_let(L, "slots", lower_op(L, CORE_MAX, slots, one));
    if (scan->own > 0) {
        /* a segment's first operand may be the last one of a work-item */
        const KernelExp *others = lower_op(L, CORE_SUB, width, one);
        others = lower_ceiling(L, others, lower_number(L, scan->own));
        const KernelExp *lanes = lower_let(L, "lanes", lower_op(L, CORE_ADD, others, one));
        scan->levels = segment_levels(L, lanes, 0);
    } else {
        const KernelExp *even =
            lower_op(L, CORE_SUB, one, kernel_modulo(L->c, width, lower_number(L, 2)));
        scan->apart =
            lower_let(L, "apart", lower_op(L, CORE_MAX, width, lower_op(L, CORE_ADD, width, even)));
    }
}

/* The first operand of a work-item's own. */
static const KernelExp *own_place(Lower *L, const ShortScan *scan, const KernelExp *item)
{
    return lower_op(L, CORE_MUL, item, lower_number(L, scan->own + 1));
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A row of one of the group's segments. */
typedef struct RowOfGroup {
    SegmentEntry entry;
    const KernelExp *row, *at; /* at: its operand */
} RowOfGroup;

typedef void RowOfGroupWork(Lower *L, ShortScan *scan, const RowOfGroup *row);

/* { operand[at] = neutral }, in a step in which work-items scan what they find, whether it is a row or not */
static KernelBlock absent(Lower *L, const ShortScan *scan, bool fills, const KernelExp *at)
{
    LowerLoop block;
    if (!fills || scan->own == 0) {
        return (KernelBlock){0};
    }
    lower_block_begin(L, &block);
    segment_stores(L, scan->s, scan->operand, at, segment_neutral(L, scan->s));
    return lower_block_end(L, &block);
}

/* The work, where the segment may be touched. */
static void guarded(Lower *L, ShortScan *scan, const RowOfGroup *row, RowOfGroupWork *work,
                    bool fills)
{
    LowerLoop block;
    if (row->entry.guard == NULL) {
        work(L, scan, row);
        return;
    }
    lower_block_begin(L, &block);
    work(L, scan, row);
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(block.outer, row->entry.guard, body, absent(L, scan, fills, row->at));
}

static void each_row(Lower *L, ShortScan *scan, RowOfGroupWork *work, bool fills)
{
    LowerLoop local, loop, block;
    Segments *s = scan->s;
    RowOfGroup row = {.at = NULL};
    lower_local_begin(L, &scan->kernel, &local);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, scan->operands / KERNEL_GROUP_SIZE));
    const KernelExp *turns = lower_op(L, CORE_MUL, loop.index, lower_number(L, KERNEL_GROUP_SIZE));
    const KernelExp *f = lower_let(L, "f", lower_op(L, CORE_ADD, turns, local.index));
    lower_is_row(f, scan->count);
    if (scan->own > 0) {
        const KernelExp *own = lower_number(L, scan->own);
        const KernelExp *owner = own_place(L, scan, kernel_divide(L->c, f, own));
        const KernelExp *at = lower_op(L, CORE_ADD, owner, kernel_modulo(L->c, f, own));
        row.at = lower_let(L, "at", at);
    }
    lower_block_begin(L, &block);
    const KernelExp *slot = lower_let(L, "slot", kernel_divide(L->c, f, s->width));
    lower_is_row(slot, scan->slots);
    row.row = lower_let(L, "i", kernel_modulo(L->c, f, s->width));
    lower_is_row(row.row, s->width);
    if (scan->own == 0) {
        const KernelExp *start = lower_op(L, CORE_MUL, slot, scan->apart);
        row.at = lower_let(L, "at", lower_op(L, CORE_ADD, start, row.row));
    }
    const KernelExp *segment = lower_let(L, "segment", lower_op(L, CORE_ADD, scan->first, slot));
    lower_is_row(segment, s->count);
    row.entry = segment_enter(L, s, segment);
    guarded(L, scan, &row, work, fills);
    KernelBlock present = lower_block_end(L, &block);
    kernel_if(block.outer, lower_op(L, CORE_LT, f, scan->count), present,
              absent(L, scan, fills, row.at));
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    lower_local_end(L, &scan->kernel, &local);
}

static void map_row(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    Segments *s = scan->s;
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    segment_row(L, s, &row->entry, row->row, values);
    segment_stores(L, s, scan->operand, row->at, values);
}

static void take_row(Lower *L, ShortScan *scan, const RowOfGroup *row)
{
    Segments *s = scan->s;
    segment_begin_taker(L, s);
    segment_take(L, s, &row->entry, row->row, segment_loads(L, s, scan->operand, row->at));
}

/* ---- work-items share the operands ------------------------------------------------------------- */

/* A work-item and its own operands. */
typedef struct OwnPart {
    LowerLoop local;
    const KernelExp *item, *first; /* its number; its first operand */
    const KernelExp *before;       /* rows of that one's segment before it */
    const KernelExp *until;        /* own operands up to the next segment, positive */
} OwnPart;

static void begin_own_part(Lower *L, ShortScan *scan, OwnPart *own)
{
    lower_local_begin(L, &scan->kernel, &own->local);
    const KernelExp *width = scan->s->width;
    const KernelExp *f = lower_op(L, CORE_MUL, own->local.index, lower_number(L, scan->own));
    own->item = own->local.index;
    own->first = lower_let(L, "own", own_place(L, scan, own->item));
    own->before = lower_let(L, "before", kernel_modulo(L->c, f, width));
    lower_is_row(own->before, width);
    own->until = lower_let(L, "until", lower_op(L, CORE_SUB, width, own->before));
    lower_is_row(own->until, width);
}

/* Own operands become their scan, anew where a segment begins; total = the last. */
static void scan_own(Lower *L, ShortScan *scan)
{
    OwnPart own;
    LowerLoop loop, begins, follows;
    Segments *s = scan->s;
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    begin_own_part(L, scan, &own);
    Value *uses = segment_variables(L, s, segment_loads(L, s, scan->operand, own.first), running);
    lower_loop_begin(L, &loop, FRAME_MAP, "j", lower_number(L, scan->own - 1));
    const KernelExp *next = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, own.first, next));
    const Value *operand = segment_loads(L, s, scan->operand, at);
    lower_block_begin(L, &begins);
    segment_change(L, s, running, operand);
    KernelBlock anew = lower_block_end(L, &begins);
    lower_block_begin(L, &follows);
    segment_change(L, s, running, segment_combine(L, s, uses, operand));
    KernelBlock on = lower_block_end(L, &follows);
    const KernelExp *row = lower_op(L, CORE_ADD, own.before, next);
    row = kernel_modulo(L->c, row, s->width);
    kernel_if(L->b, lower_op(L, CORE_EQ, row, lower_number(L, 0)), anew, on);
    segment_stores(L, s, scan->operand, at, uses);
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    segment_stores(L, s, scan->total, own.item, uses);
    lower_local_end(L, &scan->kernel, &own.local);
}

/* total = what the segment of a work-item's last operand has come to there: as segment_scan_totals, up to the work-item with
   that segment's first operand. */
static void scan_totals(Lower *L, ShortScan *scan)
{
    OwnPart own;
    LowerLoop loop;
    Segments *s = scan->s;
    lower_loop_begin(L, &loop, FRAME_MAP, "k", scan->levels);
    kernel_barrier(L->b);
    begin_own_part(L, scan, &own);
    const KernelExp *distance = lower_op(L, CORE_SHL, lower_number(L, 1), loop.index);
    distance = lower_let(L, "distance", distance);
    /* it has `others` before it from there on, and no segment begins behind its first operand */
    const KernelExp *others = lower_ceiling(L, own.before, lower_number(L, scan->own));
    const KernelExp *shared = lower_op(L, CORE_AND, lower_op(L, CORE_LE, distance, others),
                                       lower_op(L, CORE_GE, own.until, lower_number(L, scan->own)));
    segment_add_totals(L, s, scan->total, loop.index, own.item, shared, distance);
    lower_local_end(L, &scan->kernel, &own.local);
    lower_loop_end(L, &loop);
}

/* Own operands of the first one's segment = what comes before op these. */
static void carry_on(Lower *L, ShortScan *scan)
{
    OwnPart own;
    LowerLoop block, loop, up_to;
    Segments *s = scan->s;
    begin_own_part(L, scan, &own);
    lower_block_begin(L, &block);
    const KernelExp *last = segment_alternate(L, scan->levels, KERNEL_GROUP_SIZE, own.item);
    const Value *carry =
        segment_loads(L, s, scan->total, lower_op(L, CORE_SUB, last, lower_number(L, 1)));
    lower_loop_begin(L, &loop, FRAME_MAP, "j", lower_number(L, scan->own));
    lower_block_begin(L, &up_to);
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, own.first, loop.index));
    const Value *operand = segment_loads(L, s, scan->operand, at);
    segment_stores(L, s, scan->operand, at, segment_combine(L, s, carry, operand));
    KernelBlock body = lower_block_end(L, &up_to);
    kernel_if(L->b, lower_op(L, CORE_LT, loop.index, own.until), body, (KernelBlock){0});
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    kernel_if(block.outer, lower_op(L, CORE_GT, own.before, lower_number(L, 0)),
              lower_block_end(L, &block), (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &own.local);
}

/* ---- a work-item has a segment ----------------------------------------------------------------- */

/* Work-item l has segment l of the group, where there is one. */
typedef struct OwnSegment {
    LowerLoop local, block, loop;
    const KernelExp *segment; /* its number */
} OwnSegment;

static void begin_own_segment(Lower *L, ShortScan *scan, OwnSegment *own)
{
    lower_local_begin(L, &scan->kernel, &own->local);
    const KernelExp *segment = lower_op(L, CORE_ADD, scan->first, own->local.index);
    own->segment = lower_let(L, "segment", segment);
    lower_is_row(own->segment, scan->s->count);
    lower_block_begin(L, &own->block);
}

static void end_own_segment(Lower *L, ShortScan *scan, OwnSegment *own)
{
    const KernelExp *inside =
        lower_op(L, CORE_AND, lower_op(L, CORE_LT, own->local.index, scan->slots),
                 lower_op(L, CORE_LT, own->segment, scan->s->count));
    kernel_if(own->block.outer, inside, lower_block_end(L, &own->block), (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &own->local);
}

/* What is computed of a segment beside its rows. */
static void leave_segments(Lower *L, ShortScan *scan)
{
    OwnSegment own;
    if (segment_has_scalars(scan->s)) {
        begin_own_segment(L, scan, &own);
        SegmentEntry entry = segment_enter(L, scan->s, own.segment);
        segment_leave(L, scan->s, &entry, NULL);
        end_own_segment(L, scan, &own);
    }
}

/* What reduces the rows of the scan goes over them as they are scanned, and leaves its results. */
static void fold_segments(Lower *L, ShortScan *scan)
{
    Segments *s = scan->s;
    OwnSegment own;
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    begin_own_segment(L, scan, &own);
    const KernelExp *start = lower_op(L, CORE_MUL, own.local.index, scan->apart);
    start = lower_let(L, "start", start);
    SegmentEntry entry = segment_enter(L, s, own.segment);
    segment_begin_taker(L, s);
    Value *uses = segment_variables(L, s, segment_neutral(L, s), running);
    const KernelExp *rows = s->width;
    if (entry.guard != NULL) {
        rows = kernel_select(L->c, entry.guard, rows, lower_number(L, 0));
    }
    lower_loop_begin(L, &own.loop, FRAME_MAP, "j", lower_let(L, "count", rows));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, start, own.loop.index));
    segment_change(L, s, running,
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
    int64_t gaps = scan->own > 0 ? KERNEL_GROUP_SIZE : scan->operands / LEAST_FOLDED_ROWS;
    scan->operand = segment_locals(L, s, scan->operands + gaps);
    if (scan->own > 0) {
        scan->total = segment_locals(L, s, 2 * KERNEL_GROUP_SIZE);
    }
    each_row(L, scan, map_row, true);
    kernel_barrier(L->b);
    if (s->fold != NULL) {
        fold_segments(L, scan);
    } else {
        scan_own(L, scan);
        scan_totals(L, scan);
        kernel_barrier(L->b);
        carry_on(L, scan);
        kernel_barrier(L->b);
        each_row(L, scan, take_row, false);
        leave_segments(L, scan);
    }
    L->failed = L->failed || scan->kernel.frame.scratch.count > 0;
    return lower_kernel_end(L, &scan->kernel, "segments", s->text, groups);
}

bool segment_shares_operands(const Segments *s)
{
    return s->scanned > 0 && s->fold == NULL && !segment_lies_across(s) && own_operands(s) > 0;
}

KernelBlock segment_scan_short(Lower *L, Segments *s, KernelBlock otherwise)
{
    LowerLoop choice, version;
    ShortScan scan = {.s = s, .own = s->fold == NULL ? own_operands(s) : 0};
    scan.operands = s->fold == NULL ? scan.own * KERNEL_GROUP_SIZE : most_operands(s);
    int64_t least = s->fold == NULL ? LEAST_ROWS : LEAST_FOLDED_ROWS;
    int64_t most = s->fold == NULL ? scan.operands / 2 : MOST_FOLDED_ROWS;
    bool may_be = s->width->kind != KERNEL_CONSTANT || (s->width->as.constant.as.integer >= least &&
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
            lower_op(L, CORE_AND, lower_op(L, CORE_GE, s->width, lower_number(L, least)),
                     lower_op(L, CORE_LE, s->width, lower_number(L, most)));
        kernel_if(L->b, suits, block, otherwise);
    } else {
        kernel_add_block(L->b, otherwise);
    }
    return lower_block_end(L, &choice);
}
