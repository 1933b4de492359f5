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
#include "backend/lower/processor.h"
#include "backend/lower/segment_scan.h"

enum { ROWS_OF_LANE = 4, MOST_SLOTS = KERNEL_GROUP_SIZE / 2 };
enum { LEVELS_ACROSS = 5 };
_Static_assert(1 << SEGMENT_LEVELS == KERNEL_GROUP_SIZE, "the tree scans a group");

const KernelExp *segment_let_narrow(Lower *L, const ScanKernel *scan, const char *text,
                                    const KernelExp *exp)
{
    const KernelExp *width = scan->s->width, *value = lower_let(L, text, exp);
    if (width->kind != KERNEL_CONSTANT || width->as.constant.as.integer < KERNEL_SMALL_EXTENT) {
        lower_is_row(value, scan->tiles);
    }
    return value;
}

const KernelExp *segment_levels(Lower *L, const KernelExp *lanes, int least)
{
    const KernelExp *levels = lower_number(L, least);
    for (int k = least; k < SEGMENT_LEVELS; k++) {
        const KernelExp *more = lower_op(L, CORE_GT, lanes, lower_number(L, (int64_t)1 << k));
        levels = lower_op(L, CORE_ADD, levels, kernel_convert(L->c, CORE_I64, more));
    }
    return lower_at_most(lower_let(L, "levels", levels), SEGMENT_LEVELS);
}

/* As many lanes as rows need, if each has four. */
static const KernelExp *levels_of_rows(Lower *L, const ScanKernel *scan)
{
    const KernelExp *most = lower_ceiling(L, scan->s->width, lower_number(L, ROWS_OF_LANE));
    return segment_levels(L, lower_let(L, "most", most), 1);
}

static void find_layout(Lower *L, ScanKernel *scan)
{
    const KernelExp *one = lower_number(L, 1);
    scan->levels = scan->across ? lower_number(L, LEVELS_ACROSS) : levels_of_rows(L, scan);
    bool known = scan->levels->kind == KERNEL_CONSTANT;
    const KernelExp *lanes =
        known ? lower_number(L, (int64_t)1 << scan->levels->as.constant.as.integer)
              : lower_let(L, "lanes", lower_op(L, CORE_SHL, one, scan->levels));
    scan->lanes = lower_at_most(lanes, KERNEL_GROUP_SIZE);
    const KernelExp *slots = kernel_divide(L->c, lower_number(L, KERNEL_GROUP_SIZE), scan->lanes);
    scan->slots = lower_at_most(lower_let(L, "slots", slots), KERNEL_GROUP_SIZE);
    scan->step = scan->across ? scan->slots : one;
    scan->tile =
        lower_let(L, "tile", lower_op(L, CORE_MUL, scan->lanes, lower_number(L, ROWS_OF_LANE)));
    scan->tiles = lower_let(L, "tiles", lower_ceiling(L, scan->s->width, scan->tile));
    scan->groups = lower_let(L, "groups", lower_ceiling(L, scan->s->count, scan->slots));
}

/* Which lane of which slot a work-item is. */
static void find_lane(Lower *L, const ScanKernel *scan, Lane *lane)
{
    if (kernel_is_i64(scan->slots, 1)) {
        lane->lane = lane->l;
        lane->slot = lower_number(L, 0);
        return;
    }
    if (scan->across) {
        const KernelExp *high = kernel_divide(L->c, lane->l, scan->slots);
        lane->lane = lower_let(L, "lane", high);
        lower_is_row(lane->lane, scan->lanes);
        const KernelExp *low = kernel_modulo(L->c, lane->l, scan->slots);
        lane->slot = segment_let_narrow(L, scan, "slot", low);
        return;
    }
    const KernelExp *mask = lower_op(L, CORE_SUB, scan->lanes, lower_number(L, 1));
    const KernelExp *low = lower_op(L, CORE_AND, lane->l, mask);
    const KernelExp *high = lower_op(L, CORE_SHR, lane->l, scan->levels);
    lane->lane = segment_let_narrow(L, scan, "lane", low);
    lane->slot = segment_let_narrow(L, scan, "slot", high);
}

Lane segment_begin_local(Lower *L, ScanKernel *scan, LowerLoop *local)
{
    lower_local_begin(L, &scan->kernel, local);
    Lane lane = {.l = local->index};
    find_lane(L, scan, &lane);
    const KernelExp *segment =
        lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, scan->group, scan->slots), lane.slot);
    segment = lower_let(L, "segment", segment);
    lower_is_row(segment, scan->s->count);
    lane.inside = lower_let(L, "inside", lower_op(L, CORE_LT, segment, scan->s->count));
    segment = kernel_select(L->c, lane.inside, segment, lower_number(L, 0));
    lane.segment = segment_let_narrow(L, scan, "segment", segment);
    lane.first = segment_let_narrow(L, scan, "start", lower_op(L, CORE_MUL, lane.slot, scan->tile));
    return lane;
}

/* ---- operands -------------------------------------------------------------------------------- */

Value *segment_loads(Lower *L, const Segments *s, KernelVariable *const *buffers,
                     const KernelExp *at)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->scanned + 1);
    at = lower_let(L, "at", at);
    for (size_t k = 0; k < s->scanned; k++) {
        values[k].scalar = lower_let(L, buffers[k]->text, kernel_load(L->c, buffers[k], at));
    }
    return values;
}

void segment_stores(Lower *L, const Segments *s, KernelVariable *const *buffers,
                    const KernelExp *at, const Value *values)
{
    at = lower_let(L, "at", at);
    for (size_t k = 0; k < s->scanned; k++) {
        kernel_store(L->b, buffers[k], at, values[k].scalar);
    }
}

Value *segment_neutral(Lower *L, const Segments *s)
{
    const CoreSoac *soac = s->soac;
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->scanned + 1);
    for (size_t r = 0, at = 0; r < soac->scan_count; r++) {
        for (size_t k = 0; k < lower_width(&soac->scans[r]); k++) {
            values[at++].scalar = lower_scalar(L, soac->scans[r].neutral[k]);
        }
    }
    return values;
}

Value *segment_combine(Lower *L, const Segments *s, const Value *left, const Value *right)
{
    const CoreSoac *soac = s->soac;
    Value *results = ARENA_ARRAY(L->c->arena, Value, s->scanned + 1);
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

Value *segment_variables(Lower *L, const Segments *s, const Value *values,
                         KernelVariable **changing)
{
    Value *uses = ARENA_ARRAY(L->c->arena, Value, s->scanned + 1);
    for (size_t k = 0; k < s->scanned; k++) {
        CorePrim prim = values[k].scalar->prim, stored;
        const char *text = segment_component(L, s, k, &stored);
        changing[k] = kernel_variable(L->c, text, prim, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, changing[k], values[k].scalar);
        uses[k].scalar = kernel_use(L->c, changing[k]);
    }
    return uses;
}

void segment_change(Lower *L, const Segments *s, KernelVariable *const *changing,
                    const Value *values)
{
    const KernelExp **saved = ARENA_ARRAY(L->c->arena, const KernelExp *, s->scanned + 1);
    for (size_t k = 0; k < s->scanned; k++) {
        KernelVariable *next =
            kernel_variable(L->c, "next", values[k].scalar->prim, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, next, values[k].scalar);
        saved[k] = kernel_use(L->c, next);
    }
    for (size_t k = 0; k < s->scanned; k++) {
        kernel_assign(L->b, changing[k], saved[k]);
    }
}

static void change_if(Lower *L, const Segments *s, const KernelExp *condition,
                      KernelVariable *const *buffers, const KernelExp *at,
                      KernelVariable *const *changing, const Value *uses)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    segment_change(L, s, changing, segment_combine(L, s, segment_loads(L, s, buffers, at), uses));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, condition, body, (KernelBlock){0});
}

/* ---- steps ----------------------------------------------------------------------------------- */

const KernelExp *segment_alternate(Lower *L, const KernelExp *iteration, int64_t size,
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
    e = segment_let_narrow(L, scan, "e", e);
    const KernelExp *start = lower_op(L, CORE_MUL, scan->tile_index, scan->tile);
    element.row = lower_let(L, "i", lower_op(L, CORE_ADD, start, e));
    lower_is_row(element.row, scan->s->width);
    element.owner = scan->across
                        ? lane->lane
                        : segment_let_narrow(L, scan, "owner", kernel_divide(L->c, e, rows));
    element.at = lower_let(L, "at",
                           scan->across ? own_operand(L, scan, lane, loop->index)
                                        : lower_op(L, CORE_ADD, lane->first, e));
    return element;
}

static void begin_carry(Lower *L, ScanKernel *scan)
{
    LowerLoop local, block;
    Lane lane = segment_begin_local(L, scan, &local);
    segment_enter(L, scan->s, lane.segment);
    segment_begin_fold(L, scan->s);
    segment_store_fold(L, scan->s, scan->sums, lane.l);
    lower_block_begin(L, &block);
    segment_stores(L, scan->s, scan->carry, lane.slot, segment_neutral(L, scan->s));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, lane.lane, lower_number(L, 0)), body, (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &local);
}

const KernelExp *segment_exists(Lower *L, const ScanKernel *scan, const Lane *lane,
                                const SegmentEntry *entry, const KernelExp *row)
{
    const KernelExp *there =
        lower_op(L, CORE_AND, lane->inside, lower_op(L, CORE_LT, row, scan->s->width));
    return entry->guard == NULL ? there : lower_op(L, CORE_AND, there, entry->guard);
}

/* Rows that are computed from their numbers lie as what is scanned is stored. */
static void note_stores(Lower *L, Segments *s, const SegmentEntry *entry, const KernelExp *row,
                        const Value *values)
{
    LowerLoop block;
    if (s->far_rows > 0 || s->far_segments > 0) {
        return;
    }
    lower_block_begin(L, &block);
    for (size_t k = 0; k < s->scanned; k++) {
        const Reader *out = segment_place(L, s, entry, s->stm->pattern[s->reduced + k]);
        if (out != NULL) {
            lower_store_scalar(L, lower_row(L, out, 1, &row), values[k].scalar);
        }
    }
    segment_note_strides(L, s, entry, lower_block_end(L, &block), row);
}

static void read_rows(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop, there, absent;
    Segments *s = scan->s;
    kernel_barrier(L->b);
    Lane lane = segment_begin_local(L, scan, &local);
    SegmentEntry entry = segment_enter(L, s, lane.segment);
    Element element = begin_elements(L, scan, &lane, &loop);
    lower_block_begin(L, &there);
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    segment_row(L, s, &entry, element.row, values);
    segment_stores(L, scan->s, scan->operand, element.at, values);
    segment_note_strides(L, s, &entry, kernel_block(&there.inner), element.row);
    note_stores(L, s, &entry, element.row, values);
    KernelBlock taken = lower_block_end(L, &there);
    lower_block_begin(L, &absent);
    segment_stores(L, scan->s, scan->operand, element.at, segment_neutral(L, scan->s));
    KernelBlock not_taken = lower_block_end(L, &absent);
    kernel_if(L->b, segment_exists(L, scan, &lane, &entry, element.row), taken, not_taken);
    lower_loop_end(L, &loop);
    lower_local_end(L, &scan->kernel, &local);
}

/* Each lane's own four operands. */
static void scan_lanes(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop;
    kernel_barrier(L->b);
    Lane lane = segment_begin_local(L, scan, &local);
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, scan->s->scanned + 1);
    const KernelExp *own =
        segment_let_narrow(L, scan, "own", own_operand(L, scan, &lane, lower_number(L, 0)));
    Value *uses =
        segment_variables(L, scan->s, segment_loads(L, scan->s, scan->operand, own), running);
    lower_loop_begin(L, &loop, FRAME_MAP, "j", lower_number(L, ROWS_OF_LANE - 1));
    const KernelExp *following = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "at", own_operand(L, scan, &lane, following));
    segment_change(L, scan->s, running,
                   segment_combine(L, scan->s, uses, segment_loads(L, scan->s, scan->operand, at)));
    segment_stores(L, scan->s, scan->operand, at, uses);
    lower_loop_end(L, &loop);
    segment_stores(L, scan->s, scan->total, lane.l, uses);
    lower_local_end(L, &scan->kernel, &local);
}

void segment_add_totals(Lower *L, const Segments *s, KernelVariable *const *total,
                        const KernelExp *iteration, const KernelExp *l, const KernelExp *condition,
                        const KernelExp *away)
{
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    const KernelExp *here = segment_alternate(L, iteration, KERNEL_GROUP_SIZE, l);
    here = lower_let(L, "here", here);
    Value *uses = segment_variables(L, s, segment_loads(L, s, total, here), running);
    change_if(L, s, condition, total, lower_op(L, CORE_SUB, here, away), running, uses);
    segment_stores(L, s, total, segment_alternate(L, next(L, iteration), KERNEL_GROUP_SIZE, l),
                   uses);
}

void segment_scan_totals(Lower *L, ScanKernel *scan)
{
    LowerLoop loop, local;
    lower_loop_begin(L, &loop, FRAME_MAP, "k", scan->levels);
    kernel_barrier(L->b);
    Lane lane = segment_begin_local(L, scan, &local);
    const KernelExp *distance = lower_op(L, CORE_SHL, lower_number(L, 1), loop.index);
    distance = lower_let(L, "distance", distance);
    segment_add_totals(L, scan->s, scan->total, loop.index, lane.l,
                       lower_op(L, CORE_GE, lane.lane, distance),
                       lower_op(L, CORE_MUL, distance, scan->step));
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
    Value *carry = segment_loads(L, scan->s, scan->carry,
                                 segment_alternate(L, scan->tile_index, MOST_SLOTS, lane->slot));
    Value *total = segment_loads(L, scan->s, scan->total,
                                 segment_alternate(L, scan->levels, KERNEL_GROUP_SIZE, last));
    const KernelExp *slot = segment_alternate(L, next(L, scan->tile_index), MOST_SLOTS, lane->slot);
    segment_stores(L, scan->s, scan->carry, slot, segment_combine(L, scan->s, carry, total));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, lane->lane, lower_number(L, 0)), body, (KernelBlock){0});
}

static void write_rows(Lower *L, ScanKernel *scan)
{
    LowerLoop local, loop, block;
    Segments *s = scan->s;
    kernel_barrier(L->b);
    Lane lane = segment_begin_local(L, scan, &local);
    SegmentEntry entry = segment_enter(L, s, lane.segment);
    segment_begin_taker(L, s);
    segment_load_fold(L, s, scan->sums, lane.l);
    Value *carry = segment_loads(L, scan->s, scan->carry,
                                 segment_alternate(L, scan->tile_index, MOST_SLOTS, lane.slot));
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    Element element = begin_elements(L, scan, &lane, &loop);
    lower_block_begin(L, &block);
    Value *uses = segment_variables(L, scan->s,
                                    segment_loads(L, scan->s, scan->operand, element.at), running);
    const KernelExp *lane_before = lower_op(L, CORE_SUB, element.owner, lower_number(L, 1));
    const KernelExp *away = lower_op(L, CORE_SUB, lane_before, lane.lane);
    const KernelExp *before =
        segment_alternate(L, scan->levels, KERNEL_GROUP_SIZE,
                          lower_op(L, CORE_ADD, lane.l, lower_op(L, CORE_MUL, away, scan->step)));
    change_if(L, scan->s, lower_op(L, CORE_GT, element.owner, lower_number(L, 0)), scan->total,
              before, running, uses);
    segment_take(L, s, &entry, element.row, segment_combine(L, scan->s, carry, uses));
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, segment_exists(L, scan, &lane, &entry, element.row), body, (KernelBlock){0});
    lower_loop_end(L, &loop);
    segment_store_fold(L, s, scan->sums, lane.l);
    carry_on(L, scan, &lane);
    lower_local_end(L, &scan->kernel, &local);
}

bool segment_has_scalars(const Segments *s)
{
    for (size_t k = 0; s->fold == NULL && k < s->body->result_count; k++) {
        if (s->level->soac->map->result_types[k].rank == 0) {
            return true;
        }
    }
    return false;
}

void segment_write_scalars(Lower *L, ScanKernel *scan, const KernelExp *here)
{
    LowerLoop local, block;
    if (!segment_has_scalars(scan->s)) {
        return;
    }
    Lane lane = segment_begin_local(L, scan, &local);
    lower_block_begin(L, &block);
    SegmentEntry entry = segment_enter(L, scan->s, lane.segment);
    segment_leave(L, scan->s, &entry, NULL);
    KernelBlock body = lower_block_end(L, &block);
    const KernelExp *first = lower_op(L, CORE_EQ, lane.lane, lower_number(L, 0));
    first = lower_op(L, CORE_AND, here, lower_op(L, CORE_AND, lane.inside, first));
    kernel_if(L->b, first, body, (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &local);
}

/* What each lane's rows have come to. */
static void write_parts(Lower *L, ScanKernel *scan)
{
    LowerLoop local, block;
    const Segments *s = scan->s;
    Lane lane = segment_begin_local(L, scan, &local);
    lower_block_begin(L, &block);
    const KernelExp *part = segment_part(L, s, lane.lane, lane.segment);
    segment_begin_fold(L, scan->s);
    segment_load_fold(L, s, scan->sums, lane.l);
    segment_store_fold(L, s, s->parts, part);
    KernelBlock body = lower_block_end(L, &block);
    kernel_if(L->b, lane.inside, body, (KernelBlock){0});
    lower_local_end(L, &scan->kernel, &local);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

int64_t segment_operand_bytes(const Segments *s)
{
    int64_t bytes = 0;
    for (size_t k = 0; k < s->soac->scan_count; k++) {
        const CoreLambda *function = s->soac->scans[k].function;
        for (size_t j = 0; j < lower_width(&s->soac->scans[k]); j++) {
            bytes += core_prim_bytes(lower_prim(function->result_types[j].prim));
        }
    }
    return bytes;
}

KernelVariable **segment_locals(Lower *L, const Segments *s, int64_t count)
{
    size_t width = s->scanned + s->reduced;
    KernelVariable **buffers = ARENA_ARRAY(L->c->arena, KernelVariable *, width + 1);
    for (size_t k = 0; k < width; k++) {
        buffers[k] = segment_buffer(L, s, k, KERNEL_LOCAL);
        kernel_declare_buffer(L->b, buffers[k], count);
    }
    return buffers;
}

static void make_kernel(Lower *L, ScanKernel *scan)
{
    LowerLoop loop;
    scan->operand = segment_locals(L, scan->s, ROWS_OF_LANE * KERNEL_GROUP_SIZE);
    scan->total = segment_locals(L, scan->s, 2 * KERNEL_GROUP_SIZE);
    scan->carry = segment_locals(L, scan->s, 2 * MOST_SLOTS);
    if (scan->s->fold != NULL) {
        scan->sums = segment_locals(L, scan->s->fold, KERNEL_GROUP_SIZE);
    }
    begin_carry(L, scan);
    lower_loop_begin(L, &loop, FRAME_MAP, "tile", scan->tiles);
    scan->tile_index = loop.index;
    read_rows(L, scan);
    scan_lanes(L, scan);
    segment_scan_totals(L, scan);
    write_rows(L, scan);
    lower_loop_end(L, &loop);
    if (scan->s->fold != NULL) {
        write_parts(L, scan);
    }
    segment_write_scalars(L, scan, lower_truth(L, true));
}

/* Local memory that kernels may have is 32 KiB at least, and a component takes up to 14, an accumulator of the taker 2. */
enum { MOST_COMPONENTS = 2 };

bool segment_scan(Lower *L, Segments *s, bool across)
{
    ScanKernel scan = {.s = s, .across = across};
    if (s->scanned > MOST_COMPONENTS) {
        return false;
    }
    find_layout(L, &scan);
    segment_begin_parts(L, s, scan.lanes);
    lower_kernel_begin(L, &scan.kernel, true);
    scan.group = kernel_use(L->c, scan.kernel.index);
    make_kernel(L, &scan);
    L->failed = L->failed || scan.kernel.frame.scratch.count > 0;
    return lower_kernel_end(L, &scan.kernel, "segments", s->text, scan.groups) &&
           segment_join_lanes(L, s, scan.lanes);
}

/* ---- a work-item a segment ------------------------------------------------------------------- */

/* The segment of that number, from its first row to its last. */
static void scan_segment(Lower *L, void *context, const KernelExp *segment)
{
    Segments *s = context;
    LowerLoop loop;
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    SegmentEntry entry = segment_enter(L, s, segment);
    segment_begin_taker(L, s);
    Value *uses = segment_variables(L, s, segment_neutral(L, s), running);
    const KernelExp *count = s->width;
    if (entry.guard != NULL) {
        count = kernel_select(L->c, entry.guard, count, lower_number(L, 0));
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "i", lower_let(L, "count", count));
    segment_row(L, s, &entry, loop.index, values);
    segment_change(L, s, running, segment_combine(L, s, uses, values));
    segment_take(L, s, &entry, loop.index, uses);
    lower_loop_end(L, &loop);
    segment_bind_fold(L, s);
    segment_leave(L, s, &entry, NULL);
}

bool segment_scan_items(Lower *L, Segments *s)
{
    LowerKernel kernel;
    size_t first = L->b->commands.count;
    lower_kernel_begin(L, &kernel, false);
    scan_segment(L, s, kernel_use(L->c, kernel.index));
    bool good = lower_kernel_end(L, &kernel, "map", s->text, s->count);
    if (good) {
        lower_items_on_processor(L, s->outer, first, s->count, scan_segment, s);
    }
    return good;
}
