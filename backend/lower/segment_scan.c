/* Segmented scans by work-groups: `lanes` work-items of a group share a segment, 2 to 256 of them,
   and go through it tile by tile, four rows a lane:

       GROUP g < groups {
           LOCAL { carry = neutral }
           SEQ t < tiles {
               BARRIER  LOCAL { rows of this tile, neighbours by neighbours: operand[..] = f(row) }
               BARRIER  LOCAL { this lane's four operands become their scan; total[l] = the last }
               SEQ k < log2(lanes) { BARRIER  LOCAL { total'[l] = total[l - 2^k] op total[l] } }
               BARRIER  LOCAL { rows again: result = carry op total before this row's lane
                                                     op operand
                                carry' = carry op total of the last lane } } }

   What is written in one step and read in the next alternates between two places (total, carry), so
   that each step needs one barrier. Operands keep their order: operators need to be associative
   only. `lanes` and `tiles` are arguments: one kernel serves all sizes; work-items without a
   segment take segment 0 and none of its rows.

   Segments that lie across, columns of a matrix, are shared by 32 lanes in steps of as many work-items as neighbouring
   segments go together, so that those of one row are read and written beside each other; a lane has four rows that follow
   each other, and its operands where no other work-item comes. */
#include "backend/lower/segments.h"

enum { MOST_LEVELS = 8, ROWS_OF_LANE = 4, MOST_SLOTS = KERNEL_GROUP_SIZE / 2 };
enum { LEVELS_ACROSS = 5, SEGMENTS_ACROSS = KERNEL_GROUP_SIZE >> LEVELS_ACROSS };
_Static_assert(1 << MOST_LEVELS == KERNEL_GROUP_SIZE, "the tree scans a group");

typedef struct ScanKernel {
    Segments *s;
    bool across;
    const KernelExp *step;           /* from a lane of a segment to the next, in work-items */
    const KernelExp *levels, *lanes; /* lanes = 2^levels; scalars of the host */
    const KernelExp *slots;          /* segments a group */
    const KernelExp *tile;           /* rows of a tile */
    const KernelExp *tiles, *groups;
    LowerKernel kernel;
    const KernelExp *tile_index;                /* in the loop over tiles */
    KernelVariable **operand, **total, **carry; /* one a component; local memory */
} ScanKernel;

/* A work-item's place. */
typedef struct Lane {
    const KernelExp *l, *lane, *slot, *segment, *inside;
    const KernelExp *first; /* of its segment's operands in local memory */
} Lane;

/* A name for what is not negative and at most about the number of segments or rows (kernel.h,
   is_row). */
static const KernelExp *let_narrow(Lower *L, const ScanKernel *scan, const char *text,
                                   const KernelExp *exp)
{
    const KernelExp *width = scan->s->width, *value = lower_let(L, text, exp);
    if (width->kind != KERNEL_CONSTANT || width->as.constant.as.integer < 1 << 28) {
        lower_is_row(value, scan->tiles);
    }
    return value;
}

static const KernelExp *levels_of_rows(Lower *L, const ScanKernel *scan)
{
    const KernelExp *most = lower_ceiling(L, scan->s->width, lower_number(L, ROWS_OF_LANE));
    most = lower_let(L, "most", most);
    const KernelExp *levels = lower_number(L, 1);
    for (int k = 1; k < MOST_LEVELS; k++) {
        const KernelExp *more = lower_op(L, CORE_GT, most, lower_number(L, (int64_t)1 << k));
        levels = lower_op(L, CORE_ADD, levels, kernel_convert(L->c, CORE_I64, more));
    }
    return lower_let(L, "levels", levels);
}

static void find_layout(Lower *L, ScanKernel *scan)
{
    scan->levels = scan->across ? lower_number(L, LEVELS_ACROSS) : levels_of_rows(L, scan);
    scan->step = lower_number(L, scan->across ? SEGMENTS_ACROSS : 1);
    scan->lanes = lower_let(L, "lanes", lower_op(L, CORE_SHL, lower_number(L, 1), scan->levels));
    scan->slots =
        lower_let(L, "slots", kernel_divide(L->c, lower_number(L, KERNEL_GROUP_SIZE), scan->lanes));
    scan->tile =
        lower_let(L, "tile", lower_op(L, CORE_MUL, scan->lanes, lower_number(L, ROWS_OF_LANE)));
    scan->tiles = lower_let(L, "tiles", lower_ceiling(L, scan->s->width, scan->tile));
    scan->groups = lower_let(L, "groups", lower_ceiling(L, scan->s->count, scan->slots));
}

static Lane begin_local(Lower *L, ScanKernel *scan, LowerLoop *local)
{
    lower_local_begin(L, &scan->kernel, local);
    Lane lane = {.l = local->index};
    const KernelExp *inner = scan->across ? scan->slots : scan->lanes;
    const KernelExp *mask = lower_op(L, CORE_SUB, inner, lower_number(L, 1));
    const KernelExp *group = kernel_use(L->c, scan->kernel.index);
    const KernelExp *low = lower_op(L, CORE_AND, lane.l, mask);
    const KernelExp *high = scan->across ? kernel_divide(L->c, lane.l, scan->slots)
                                         : lower_op(L, CORE_SHR, lane.l, scan->levels);
    lane.lane = let_narrow(L, scan, "lane", scan->across ? high : low);
    lane.slot = let_narrow(L, scan, "slot", scan->across ? low : high);
    const KernelExp *segment =
        lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, group, scan->slots), lane.slot);
    segment = let_narrow(L, scan, "segment", segment);
    lane.inside = lower_let(L, "inside", lower_op(L, CORE_LT, segment, scan->s->count));
    segment = kernel_select(L->c, lane.inside, segment, lower_number(L, 0));
    lane.segment = let_narrow(L, scan, "segment", segment);
    lane.first = let_narrow(L, scan, "start", lower_op(L, CORE_MUL, lane.slot, scan->tile));
    return lane;
}

/* ---- operands -------------------------------------------------------------------------------- */

static Value *loads(Lower *L, const ScanKernel *scan, KernelVariable *const *buffers,
                    const KernelExp *at)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, scan->s->scanned + 1);
    at = lower_let(L, "at", at);
    for (size_t k = 0; k < scan->s->scanned; k++) {
        values[k].scalar = lower_let(L, buffers[k]->text, kernel_load(L->c, buffers[k], at));
    }
    return values;
}

static void stores(Lower *L, const ScanKernel *scan, KernelVariable *const *buffers,
                   const KernelExp *at, const Value *values)
{
    at = lower_let(L, "at", at);
    for (size_t k = 0; k < scan->s->scanned; k++) {
        kernel_store(L->b, buffers[k], at, values[k].scalar);
    }
}

static Value *neutral(Lower *L, const ScanKernel *scan)
{
    const CoreSoac *soac = scan->s->soac;
    Value *values = ARENA_ARRAY(L->c->arena, Value, scan->s->scanned + 1);
    for (size_t r = 0, at = 0; r < soac->scan_count; r++) {
        for (size_t k = 0; k < lower_width(&soac->scans[r]); k++) {
            values[at++].scalar = lower_scalar(L, soac->scans[r].neutral[k]);
        }
    }
    return values;
}

/* left op right, of every scan. */
static Value *combine(Lower *L, const ScanKernel *scan, const Value *left, const Value *right)
{
    const CoreSoac *soac = scan->s->soac;
    Value *results = ARENA_ARRAY(L->c->arena, Value, scan->s->scanned + 1);
    for (size_t r = 0, at = 0; r < soac->scan_count; r++) {
        size_t width = lower_width(&soac->scans[r]);
        Value *arguments = ARENA_ARRAY(L->c->arena, Value, 2 * width + 1);
        for (size_t k = 0; k < width; k++) {
            arguments[k] = left[at + k];
            arguments[width + k] = right[at + k];
        }
        lower_apply(L, soac->scans[r].function, arguments, NULL, results + at);
        at += width;
    }
    return results;
}

/* Scalars that begin with these values and can be changed. */
static Value *variables(Lower *L, const ScanKernel *scan, const Value *values,
                        KernelVariable **changing)
{
    Value *uses = ARENA_ARRAY(L->c->arena, Value, scan->s->scanned + 1);
    for (size_t k = 0; k < scan->s->scanned; k++) {
        CorePrim prim = values[k].scalar->prim, stored;
        const char *text = segment_component(L, scan->s, k, &stored);
        changing[k] = kernel_variable(L->c, text, prim, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, changing[k], values[k].scalar);
        uses[k].scalar = kernel_use(L->c, changing[k]);
    }
    return uses;
}

static void change(Lower *L, const ScanKernel *scan, KernelVariable *const *changing,
                   const Value *values)
{
    /* All are computed from what was before. */
    const KernelExp **saved = ARENA_ARRAY(L->c->arena, const KernelExp *, scan->s->scanned + 1);
    for (size_t k = 0; k < scan->s->scanned; k++) {
        KernelVariable *next =
            kernel_variable(L->c, "next", values[k].scalar->prim, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, next, values[k].scalar);
        saved[k] = kernel_use(L->c, next);
    }
    for (size_t k = 0; k < scan->s->scanned; k++) {
        kernel_assign(L->b, changing[k], saved[k]);
    }
}

/* if condition { variables := values made by `left` op them } */
static void change_if(Lower *L, const ScanKernel *scan, const KernelExp *condition,
                      KernelVariable *const *buffers, const KernelExp *at,
                      KernelVariable *const *changing, const Value *uses)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    change(L, scan, changing, combine(L, scan, loads(L, scan, buffers, at), uses));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, condition, body, (KernelBlock){0});
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* place + size in odd iterations, place in even ones */
static const KernelExp *alternate(Lower *L, const KernelExp *iteration, int64_t size,
                                  const KernelExp *place)
{
    const KernelExp *odd = lower_op(L, CORE_AND, iteration, lower_number(L, 1));
    return lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, odd, lower_number(L, size)), place);
}

static const KernelExp *next(Lower *L, const KernelExp *iteration)
{
    return lower_let(L, "next", lower_op(L, CORE_ADD, iteration, lower_number(L, 1)));
}

/* Where operand j of the lane's own is in local memory. */
static const KernelExp *own_operand(Lower *L, const ScanKernel *scan, const Lane *lane,
                                    const KernelExp *j)
{
    if (scan->across) {
        return lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, j, lower_number(L, KERNEL_GROUP_SIZE)),
                        lane->l);
    }
    const KernelExp *own = lower_op(L, CORE_MUL, lane->lane, lower_number(L, ROWS_OF_LANE));
    return lower_op(L, CORE_ADD, lower_op(L, CORE_ADD, lane->first, own), j);
}

/* An element of the tile that a work-item reads or writes. */
typedef struct Element {
    const KernelExp *row;   /* of the segment */
    const KernelExp *at;    /* its operand in local memory */
    const KernelExp *owner; /* the lane whose own it is */
} Element;

/* j < 4: element j * lanes + lane; where segments lie across, the lane's own. */
static Element begin_elements(Lower *L, const ScanKernel *scan, const Lane *lane, LowerLoop *loop)
{
    lower_loop_begin(L, loop, FRAME_MAP, "j", lower_number(L, ROWS_OF_LANE));
    const KernelExp *rows = lower_number(L, ROWS_OF_LANE);
    const KernelExp *e =
        scan->across
            ? lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, lane->lane, rows), loop->index)
            : lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, loop->index, scan->lanes), lane->lane);
    Element element;
    e = let_narrow(L, scan, "e", e);
    const KernelExp *start = lower_op(L, CORE_MUL, scan->tile_index, scan->tile);
    element.row = let_narrow(L, scan, "i", lower_op(L, CORE_ADD, start, e));
    element.owner =
        scan->across ? lane->lane : let_narrow(L, scan, "owner", kernel_divide(L->c, e, rows));
    element.at = lower_let(L, "at",
                           scan->across ? own_operand(L, scan, lane, loop->index)
                                        : lower_op(L, CORE_ADD, lane->first, e));
    return element;
}

static void begin_carry(Lower *L, ScanKernel *scan)
{
    LowerLoop local, block;
    Lane lane = begin_local(L, scan, &local);
    lower_block_begin(L, &block);
    segment_enter(L, scan->s, lane.segment);
    stores(L, scan, scan->carry, lane.slot, neutral(L, scan));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, lane.lane, lower_number(L, 0)), body, (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &local);
}

/* Whether the row is one of this lane's segment that may be touched. */
static const KernelExp *exists(Lower *L, const ScanKernel *scan, const Lane *lane,
                               const SegmentEntry *entry, const KernelExp *row)
{
    const KernelExp *there =
        lower_op(L, CORE_AND, lane->inside, lower_op(L, CORE_LT, row, scan->s->width));
    return entry->guard == NULL ? there : lower_op(L, CORE_AND, there, entry->guard);
}

static void read_rows(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop, there, absent;
    Segments *s = scan->s;
    kernel_barrier(L->b);
    Lane lane = begin_local(L, scan, &local);
    SegmentEntry entry = segment_enter(L, s, lane.segment);
    Element element = begin_elements(L, scan, &lane, &loop);
    lower_block_begin(L, &there);
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    segment_row(L, s, &entry, element.row, values);
    stores(L, scan, scan->operand, element.at, values);
    segment_note_strides(L, s, &entry, kernel_block(&there.inner), element.row);
    KernelBlock taken = lower_block_end(L, &there);
    lower_block_begin(L, &absent);
    stores(L, scan, scan->operand, element.at, neutral(L, scan));
    KernelBlock not_taken = lower_block_end(L, &absent);
    kernel_if(L->b, exists(L, scan, &lane, &entry, element.row), taken, not_taken);
    lower_loop_end(L, &loop);
    lower_local_end(L, &scan->kernel, &local);
}

/* Each lane's own four operands. */
static void scan_lanes(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop;
    kernel_barrier(L->b);
    Lane lane = begin_local(L, scan, &local);
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, scan->s->scanned + 1);
    const KernelExp *own =
        let_narrow(L, scan, "own", own_operand(L, scan, &lane, lower_number(L, 0)));
    Value *uses = variables(L, scan, loads(L, scan, scan->operand, own), running);
    lower_loop_begin(L, &loop, FRAME_MAP, "j", lower_number(L, ROWS_OF_LANE - 1));
    const KernelExp *following = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "at", own_operand(L, scan, &lane, following));
    change(L, scan, running, combine(L, scan, uses, loads(L, scan, scan->operand, at)));
    stores(L, scan, scan->operand, at, uses);
    lower_loop_end(L, &loop);
    stores(L, scan, scan->total, lane.l, uses);
    lower_local_end(L, &scan->kernel, &local);
}

/* total[l] = all up to lane l; afterwards in the first place where levels are even. */
static void scan_totals(Lower *L, ScanKernel *scan)
{
    LowerLoop loop, local;
    lower_loop_begin(L, &loop, FRAME_MAP, "k", scan->levels);
    kernel_barrier(L->b);
    Lane lane = begin_local(L, scan, &local);
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, scan->s->scanned + 1);
    const KernelExp *distance = lower_op(L, CORE_SHL, lower_number(L, 1), loop.index);
    distance = lower_let(L, "distance", distance);
    const KernelExp *here =
        lower_let(L, "here", alternate(L, loop.index, KERNEL_GROUP_SIZE, lane.l));
    Value *uses = variables(L, scan, loads(L, scan, scan->total, here), running);
    const KernelExp *before =
        lower_op(L, CORE_SUB, here, lower_op(L, CORE_MUL, distance, scan->step));
    change_if(L, scan, lower_op(L, CORE_GE, lane.lane, distance), scan->total, before, running,
              uses);
    stores(L, scan, scan->total, alternate(L, next(L, loop.index), KERNEL_GROUP_SIZE, lane.l),
           uses);
    lower_local_end(L, &scan->kernel, &local);
    lower_loop_end(L, &loop);
}

/* carry' = carry op the total of the last lane, by the first one. */
static void carry_on(Lower *L, ScanKernel *scan, const Lane *lane)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *lanes = lower_op(L, CORE_SUB, scan->lanes, lower_number(L, 1));
    const KernelExp *last =
        lower_op(L, CORE_ADD, lane->l, lower_op(L, CORE_MUL, lanes, scan->step));
    Value *carry =
        loads(L, scan, scan->carry, alternate(L, scan->tile_index, MOST_SLOTS, lane->slot));
    Value *total = loads(L, scan, scan->total, alternate(L, scan->levels, KERNEL_GROUP_SIZE, last));
    stores(L, scan, scan->carry, alternate(L, next(L, scan->tile_index), MOST_SLOTS, lane->slot),
           combine(L, scan, carry, total));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, lane->lane, lower_number(L, 0)), body, (KernelBlock){0});
}

static void write_rows(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop, block;
    Segments *s = scan->s;
    kernel_barrier(L->b);
    Lane lane = begin_local(L, scan, &local);
    SegmentEntry entry = segment_enter(L, s, lane.segment);
    segment_begin_taker(L, s);
    Value *carry =
        loads(L, scan, scan->carry, alternate(L, scan->tile_index, MOST_SLOTS, lane.slot));
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    Element element = begin_elements(L, scan, &lane, &loop);
    lower_block_begin(L, &block);
    Value *uses = variables(L, scan, loads(L, scan, scan->operand, element.at), running);
    const KernelExp *lane_before = lower_op(L, CORE_SUB, element.owner, lower_number(L, 1));
    const KernelExp *away = lower_op(L, CORE_SUB, lane_before, lane.lane);
    const KernelExp *before =
        alternate(L, scan->levels, KERNEL_GROUP_SIZE,
                  lower_op(L, CORE_ADD, lane.l, lower_op(L, CORE_MUL, away, scan->step)));
    change_if(L, scan, lower_op(L, CORE_GT, element.owner, lower_number(L, 0)), scan->total, before,
              running, uses);
    segment_take(L, s, &entry, element.row, combine(L, scan, carry, uses));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, exists(L, scan, &lane, &entry, element.row), body, (KernelBlock){0});
    lower_loop_end(L, &loop);
    carry_on(L, scan, &lane);
    lower_local_end(L, &scan->kernel, &local);
}

/* Scalar results, which are of what stands before the SOAC. */
static void write_scalars(Lower *L, ScanKernel *scan)
{
    LowerLoop local, block;
    Lane lane = begin_local(L, scan, &local);
    lower_block_begin(L, &block);
    SegmentEntry entry = segment_enter(L, scan->s, lane.segment);
    segment_leave(L, scan->s, &entry, NULL);
    KernelBlock body = lower_block_end(L, &block);
    const KernelExp *first = lower_op(L, CORE_EQ, lane.lane, lower_number(L, 0));
    kernel_if(L->b, lower_op(L, CORE_AND, lane.inside, first), body, (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &local);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static KernelVariable **local_buffers(Lower *L, const Segments *s, int64_t count)
{
    KernelVariable **buffers = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    for (size_t k = 0; k < s->scanned; k++) {
        buffers[k] = segment_buffer(L, s, k, KERNEL_LOCAL);
        kernel_declare_buffer(L->b, buffers[k], count);
    }
    return buffers;
}

static bool has_scalar_results(const Segments *s)
{
    for (size_t k = 0; k < s->body->result_count; k++) {
        if (s->level->soac->map->result_types[k].rank == 0) {
            return true;
        }
    }
    return false;
}

static void make_kernel(Lower *L, ScanKernel *scan)
{
    LowerLoop loop;
    scan->operand = local_buffers(L, scan->s, ROWS_OF_LANE * KERNEL_GROUP_SIZE);
    scan->total = local_buffers(L, scan->s, 2 * KERNEL_GROUP_SIZE);
    scan->carry = local_buffers(L, scan->s, 2 * MOST_SLOTS);
    begin_carry(L, scan);
    lower_loop_begin(L, &loop, FRAME_MAP, "tile", scan->tiles);
    scan->tile_index = loop.index;
    read_rows(L, scan);
    scan_lanes(L, scan);
    scan_totals(L, scan);
    write_rows(L, scan);
    lower_loop_end(L, &loop);
    if (has_scalar_results(scan->s)) {
        write_scalars(L, scan);
    }
}

/* Local memory that kernels may have is 32 KiB at least, and a component takes up to 14. */
enum { MOST_COMPONENTS = 2 };

bool segment_scan(Lower *L, Segments *s, bool across)
{
    ScanKernel scan = {.s = s, .across = across};
    if (s->scanned > MOST_COMPONENTS) {
        return false;
    }
    find_layout(L, &scan);
    lower_kernel_begin(L, &scan.kernel, true);
    make_kernel(L, &scan);
    L->failed = L->failed || scan.kernel.frame.scratch.count > 0;
    return lower_kernel_end(L, &scan.kernel, "segments", s->text, scan.groups);
}

/* ---- a work-item a segment ------------------------------------------------------------------- */

bool segment_scan_items(Lower *L, Segments *s)
{
    ScanKernel scan = {.s = s};
    LowerLoop loop;
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    lower_kernel_begin(L, &scan.kernel, false);
    SegmentEntry entry = segment_enter(L, s, kernel_use(L->c, scan.kernel.index));
    segment_begin_taker(L, s);
    Value *uses = variables(L, &scan, neutral(L, &scan), running);
    const KernelExp *count = s->width;
    if (entry.guard != NULL) {
        count = kernel_select(L->c, entry.guard, count, lower_number(L, 0));
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "i", lower_let(L, "count", count));
    segment_row(L, s, &entry, loop.index, values);
    change(L, &scan, running, combine(L, &scan, uses, values));
    segment_take(L, s, &entry, loop.index, uses);
    lower_loop_end(L, &loop);
    segment_leave(L, s, &entry, NULL);
    return lower_kernel_end(L, &scan.kernel, "map", s->text, s->count);
}
