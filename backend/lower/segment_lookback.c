/* Segmented scans in a single pass with look-back (lookback.c): few segments, each long, whose tiles are shared out among
   work-groups. Each element is read once and written once.

       GROUP n < tiles * groups {
           TICKET t                         tile t / groups of segments slots * (t % groups), ...
           LOCAL { for s < rows { operand[..] = f(row of this lane) } }
           LOCAL { this lane's own neighbouring rows become their scan; total[l] = the last }
           total becomes its own scan, for each segment                   (segment_scan.c)
           LOCAL { first lane: PUBLISH of this tile = its total
                   lane < 64: window[lane], seen[lane] = AWAIT of the segment's tile before, lane tiles ago }
           LOCAL { first lane of 16 of these: fold = its part of the window, from the nearest tile on, up to one whose whole
                   prefix is known }
           LOCAL { first lane: prefix = the folds, up to such a one
                   PUBLISH of this tile = prefix + its total, whole }
           LOCAL { window[l] = prefix + total of the lane before }
           LOCAL { for s < rows { result of the row = window[its lane] + operand[..] } } }

   Neighbouring tickets are neighbouring segments, not tiles of one: fewer tiles of a segment are under way at once, so that
   what comes before them is known sooner; and where segments lie across, what they read of a line of memory is read at
   about one time.

   Where segments lie across, a group has up to 32 of them, so that rows of neighbouring work-items are beside each other;
   where rows are beside each other, one. What the slots of a group have in local memory lies row by row; the rows of a
   lane are followed by a gap of one row, so that neither order meets bank conflicts:

       operand of row r in slot s:  (r + r / rows) * slots + s */
#include "backend/lower/segment_scan.h"

/* Segments of a group at most; about as many elements as a sector of a line of memory has. */
enum { MOST_SLOTS = 32, SECTOR = 4 };

/* Values of the window that a lane folds, and how many folds there are of all slots. */
enum { FOLDED = 16, MOST_FOLDS = KERNEL_GROUP_SIZE / FOLDED + MOST_SLOTS };

typedef struct TileScan {
    ScanKernel scan;
    int64_t rows;             /* of a work-item */
    bool light_map, light_op; /* worth being written out */
    const KernelExp *ticket;  /* this tile, among those of all segments */
    const KernelExp *number;  /* and among those of its segment */
    const KernelExp *start;   /* the tile's first row */
    const KernelExp *reach;   /* how many tiles of the segment the window has */
    /* local memory, one a component: of each work-item, of each 16 lanes of a slot, of each slot */
    KernelVariable **window, **fold, **prefix;
    KernelVariable *seen, *folded; /* whether a window's value, a fold, is a whole prefix */
} TileScan;

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Bytes of local memory for a tile with so many rows of a work-item. */
static int64_t local_bytes(int64_t rows, int64_t bytes)
{
    int64_t elements = (rows + 4) * KERNEL_GROUP_SIZE + MOST_FOLDS + MOST_SLOTS;
    return elements * bytes + KERNEL_GROUP_SIZE + MOST_FOLDS + (int64_t)sizeof(int64_t);
}

/* How many rows a work-item has; 0 where one is too wide for local memory. */
static int64_t rows_of_item(const Segments *s)
{
    int64_t bytes = segment_operand_bytes(s), rows = LOOK_BACK_ROWS;
    while (rows > 0 && local_bytes(rows, bytes) > LOOK_BACK_BYTES) {
        rows /= 2;
    }
    return rows;
}

bool segment_has_tiles(const Segments *s)
{
    return rows_of_item(s) > 0;
}

/* As many slots as segments, so that rows are read from end to end; or a part of these where they are more than 32, about
   equal ones that begin where sectors of the memory's lines do. */
static const KernelExp *number_of_slots(Lower *L, const Segments *s)
{
    const KernelExp *sector = lower_number(L, SECTOR);
    const KernelExp *parts = lower_ceiling(L, s->count, lower_number(L, MOST_SLOTS));
    parts = lower_let(L, "parts", lower_op(L, CORE_MAX, parts, lower_number(L, 1)));
    const KernelExp *slots = lower_ceiling(L, s->count, parts);
    slots = lower_op(L, CORE_MUL, lower_ceiling(L, slots, sector), sector);
    slots = lower_op(L, CORE_MIN, slots, s->count);
    return lower_let(L, "slots", lower_op(L, CORE_MAX, slots, lower_number(L, 1)));
}

static void find_layout(Lower *L, TileScan *t)
{
    ScanKernel *scan = &t->scan;
    const KernelExp *all = lower_number(L, KERNEL_GROUP_SIZE);
    scan->slots = scan->across ? number_of_slots(L, scan->s) : lower_number(L, 1);
    scan->lanes = lower_let(L, "lanes", kernel_divide(L->c, all, scan->slots));
    scan->levels =
        scan->across ? segment_levels(L, scan->lanes, 0) : lower_number(L, SEGMENT_LEVELS);
    scan->step = scan->slots;
    t->reach = lower_let(L, "reach",
                         lower_op(L, CORE_MIN, scan->lanes, lower_number(L, LOOK_BACK_WINDOW)));
    scan->tile = lower_let(L, "tile", lower_op(L, CORE_MUL, scan->lanes, lower_number(L, t->rows)));
    scan->tiles = lower_let(L, "tiles", lower_ceiling(L, scan->s->width, scan->tile));
    scan->groups = lower_let(L, "groups", lower_ceiling(L, scan->s->count, scan->slots));
}

static KernelVariable *bools(Lower *L, const char *text, int64_t count)
{
    KernelVariable *buffer = kernel_variable(L->c, text, CORE_BOOL, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, buffer, count);
    return buffer;
}

static void declare_locals(Lower *L, TileScan *t)
{
    Segments *s = t->scan.s;
    t->scan.operand = segment_locals(L, s, (t->rows + 1) * KERNEL_GROUP_SIZE);
    t->scan.total = segment_locals(L, s, 2 * KERNEL_GROUP_SIZE);
    t->window = segment_locals(L, s, KERNEL_GROUP_SIZE);
    t->fold = segment_locals(L, s, MOST_FOLDS);
    t->prefix = segment_locals(L, s, MOST_SLOTS);
    t->seen = bools(L, "seen", KERNEL_GROUP_SIZE);
    t->folded = bools(L, "folded", MOST_FOLDS);
}

static void take_ticket(Lower *L, TileScan *t)
{
    ScanKernel *scan = &t->scan;
    KernelVariable *ticket = kernel_variable(L->c, "ticket", CORE_I64, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, ticket, 1);
    kernel_ticket(L->b, ticket, scan->across ? MOST_SLOTS : 1);
    t->ticket =
        segment_let_narrow(L, scan, "ticket", kernel_load(L->c, ticket, lower_number(L, 0)));
    t->number = segment_let_narrow(L, scan, "number", kernel_divide(L->c, t->ticket, scan->groups));
    const KernelExp *before = lower_op(L, CORE_MUL, t->number, scan->groups);
    scan->group = segment_let_narrow(L, scan, "group", lower_op(L, CORE_SUB, t->ticket, before));
    t->start = segment_let_narrow(L, scan, "from", lower_op(L, CORE_MUL, t->number, scan->tile));
    lower_is_row(t->start, scan->s->width);
}

/* ---- a tile's rows --------------------------------------------------------------------------- */

/* Row s of this work-item in coalesced order. */
typedef struct TileRow {
    const KernelExp *row;    /* of the segment */
    const KernelExp *at;     /* its operand */
    const KernelExp *owner;  /* the work-item that has scanned it */
    const KernelExp *exists; /* NULL: it does */
} TileRow;

typedef void TileRowWork(Lower *L, TileScan *t, const SegmentEntry *entry, const TileRow *row);

/* row * slots + slot */
static const KernelExp *place(Lower *L, const ScanKernel *scan, const KernelExp *row,
                              const KernelExp *slot)
{
    const KernelExp *at = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, row, scan->slots), slot);
    return segment_let_narrow(L, scan, "at", at);
}

static void row_loop(Lower *L, TileScan *t, const Lane *lane, const SegmentEntry *entry,
                     TileRowWork *work, bool guarded, unsigned written_out)
{
    LowerLoop loop;
    const ScanKernel *scan = &t->scan;
    TileRow row = {.exists = NULL};
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_ADD, t->start, lane->lane));
    lower_is_row(first, scan->s->width);
    lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, t->rows));
    const KernelExp *before = lower_op(L, CORE_MUL, loop.index, scan->lanes);
    row.row = lower_let(L, "i", lower_op(L, CORE_ADD, first, before));
    lower_is_row(row.row, scan->s->width);
    const KernelExp *r = lower_op(L, CORE_ADD, before, lane->lane);
    r = segment_let_narrow(L, scan, "r", r);
    const KernelExp *owner = kernel_divide(L->c, r, lower_number(L, t->rows));
    owner = segment_let_narrow(L, scan, "owner", owner);
    const KernelExp *own = lower_op(L, CORE_MUL, owner, lower_number(L, t->rows + 1));
    const KernelExp *rest = kernel_modulo(L->c, r, lower_number(L, t->rows));
    row.at = place(L, scan, lower_op(L, CORE_ADD, own, rest), lane->slot);
    row.owner = place(L, scan, owner, lane->slot);
    row.exists = guarded ? segment_exists(L, scan, lane, entry, row.row) : NULL;
    work(L, t, entry, &row);
    loop.written_out = written_out;
    lower_loop_end(L, &loop);
}

/* if the tile is full { all rows at once } else { those that exist }; what is not worth being written out has the second
   form alone. */
static void each_row(Lower *L, TileScan *t, const Lane *lane, const SegmentEntry *entry,
                     TileRowWork *work, bool light)
{
    if (!light || entry->guard != NULL) {
        row_loop(L, t, lane, entry, work, true, 0);
        return;
    }
    LowerLoop full, part;
    const ScanKernel *scan = &t->scan;
    const KernelExp *end = lower_op(L, CORE_ADD, t->start, scan->tile);
    const KernelExp *is_full = lower_op(L, CORE_LE, end, scan->s->width);
    is_full = lower_let(L, "full", lower_op(L, CORE_AND, is_full, lane->inside));
    lower_block_begin(L, &full);
    row_loop(L, t, lane, entry, work, false, KERNEL_WRITE_OUT);
    KernelBlock all = lower_block_end(L, &full);
    lower_block_begin(L, &part);
    row_loop(L, t, lane, entry, work, true, 0);
    kernel_if(part.outer, is_full, all, lower_block_end(L, &part));
}

/* operand[at] = f(row), or neutral where there is no such row. */
static void map_row(Lower *L, TileScan *t, const SegmentEntry *entry, const TileRow *row)
{
    LowerLoop there, absent;
    Segments *s = t->scan.s;
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    if (row->exists == NULL) {
        segment_row(L, s, entry, row->row, values);
        segment_stores(L, s, t->scan.operand, row->at, values);
        return;
    }
    lower_block_begin(L, &there);
    segment_row(L, s, entry, row->row, values);
    segment_stores(L, s, t->scan.operand, row->at, values);
    KernelBlock stored = lower_block_end(L, &there);
    lower_block_begin(L, &absent);
    segment_stores(L, s, t->scan.operand, row->at, segment_neutral(L, s));
    kernel_if(absent.outer, row->exists, stored, lower_block_end(L, &absent));
}

/* result of the row = what comes before the work-item that has scanned it, op operand[at]. */
static void write_row(Lower *L, TileScan *t, const SegmentEntry *entry, const TileRow *row)
{
    LowerLoop block;
    Segments *s = t->scan.s;
    if (row->exists != NULL) {
        lower_block_begin(L, &block);
    }
    const Value *left = segment_loads(L, s, t->window, row->owner);
    const Value *right = segment_loads(L, s, t->scan.operand, row->at);
    segment_take(L, s, entry, row->row, segment_combine(L, s, left, right));
    if (row->exists != NULL) {
        KernelBlock stored = lower_block_end(L, &block);
        kernel_if(L->b, row->exists, stored, (KernelBlock){0});
    }
}

/* ---- steps of a work-item -------------------------------------------------------------------- */

typedef void LaneWork(Lower *L, TileScan *t, const Lane *lane);

/* The last work-items of a group are nobody's, where slots do not divide their number. */
static void side_by_side(Lower *L, TileScan *t, LaneWork *work)
{
    LowerLoop local, block;
    Lane lane = segment_begin_local(L, &t->scan, &local);
    if (t->scan.across) {
        lower_block_begin(L, &block);
    }
    work(L, t, &lane);
    if (t->scan.across) {
        KernelBlock done = lower_block_end(L, &block);
        kernel_if(L->b, lower_op(L, CORE_LT, lane.lane, t->scan.lanes), done, (KernelBlock){0});
    }
    lower_local_end(L, &t->scan.kernel, &local);
}

/* What the work-items have stored before, all of them see. */
static void after_all(Lower *L, TileScan *t, LaneWork *work)
{
    kernel_barrier(L->b);
    side_by_side(L, t, work);
}

static void map_rows(Lower *L, TileScan *t, const Lane *lane)
{
    SegmentEntry entry = segment_enter(L, t->scan.s, lane->segment);
    each_row(L, t, lane, &entry, map_row, t->light_map);
}

/* What the lane's rows have come to. */
static void write_part(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop block;
    const Segments *s = t->scan.s;
    lower_block_begin(L, &block);
    const KernelExp *before = lower_op(L, CORE_MUL, t->number, t->scan.lanes);
    const KernelExp *piece = lower_op(L, CORE_ADD, before, lane->lane);
    segment_store_fold(L, s, s->parts, segment_part(L, s, piece, lane->segment));
    kernel_if(block.outer, lane->inside, lower_block_end(L, &block), (KernelBlock){0});
}

static void write_rows(Lower *L, TileScan *t, const Lane *lane)
{
    Segments *s = t->scan.s;
    SegmentEntry entry = segment_enter(L, s, lane->segment);
    segment_begin_taker(L, s);
    bool light = s->taker == NULL || lower_is_light(s->taker->exp->as.soac.map);
    each_row(L, t, lane, &entry, write_row, light && t->light_op);
    if (s->fold != NULL) {
        write_part(L, t, lane);
    }
}

/* The neighbouring rows of the lane become their own scan; total[l] = the last of it. */
static void scan_own_rows(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop loop;
    const ScanKernel *scan = &t->scan;
    const Segments *s = scan->s;
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    const KernelExp *own = lower_op(L, CORE_MUL, lane->lane, lower_number(L, t->rows + 1));
    own = place(L, scan, own, lane->slot);
    Value *uses = segment_variables(L, s, segment_loads(L, s, scan->operand, own), running);
    if (t->rows > 1) {
        lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, t->rows - 1));
        const KernelExp *next = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
        const KernelExp *away = lower_op(L, CORE_MUL, next, scan->slots);
        const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, own, away));
        const Value *operand = segment_loads(L, s, scan->operand, at);
        segment_change(L, s, running, segment_combine(L, s, uses, operand));
        segment_stores(L, s, scan->operand, at, uses);
        loop.written_out = t->light_op ? KERNEL_WRITE_OUT : 0;
        lower_loop_end(L, &loop);
    }
    segment_stores(L, s, scan->total, lane->l, uses);
}

/* ---- looking back ---------------------------------------------------------------------------- */

/* The status of this slot and the tile with that ticket. */
static const KernelExp *status(Lower *L, const TileScan *t, const Lane *lane,
                               const KernelExp *ticket)
{
    const KernelExp *each = lower_number(L, t->scan.across ? MOST_SLOTS : 1);
    return lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, ticket, each), lane->slot);
}

static void publish(Lower *L, const TileScan *t, const Lane *lane, const Value *values,
                    const KernelExp *whole)
{
    const Segments *s = t->scan.s;
    const KernelExp **scalars = ARENA_ARRAY(L->c->arena, const KernelExp *, s->scanned + 1);
    for (size_t k = 0; k < s->scanned; k++) {
        scalars[k] = lower_let(L, t->window[k]->text, values[k].scalar);
    }
    kernel_publish(L->b, status(L, t, lane, t->ticket), whole, s->scanned, scalars);
}

static Value *await(Lower *L, const TileScan *t, const Lane *lane, const KernelExp *ticket,
                    KernelVariable *whole)
{
    const Segments *s = t->scan.s;
    KernelVariable **payload = ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1);
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->scanned + 1);
    for (size_t k = 0; k < s->scanned; k++) {
        payload[k] = segment_buffer(L, s, k, KERNEL_SCALAR);
        values[k].scalar = kernel_use(L->c, payload[k]);
    }
    kernel_await(L->b, whole, s->scanned, payload, status(L, t, lane, ticket));
    return values;
}

/* What the tile has come to in this lane's segment. */
static Value *tile_total(Lower *L, const TileScan *t, const Lane *lane)
{
    const ScanKernel *scan = &t->scan;
    const KernelExp *lanes = lower_op(L, CORE_SUB, scan->lanes, lower_number(L, 1));
    const KernelExp *last =
        lower_op(L, CORE_ADD, lane->slot, lower_op(L, CORE_MUL, lanes, scan->step));
    return segment_loads(L, scan->s, scan->total,
                         segment_alternate(L, scan->levels, KERNEL_GROUP_SIZE, last));
}

/* The first lane of a segment does that. */
static void first_lane(Lower *L, TileScan *t, const Lane *lane, LaneWork *work)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    work(L, t, lane);
    const KernelExp *first = lower_op(L, CORE_EQ, lane->lane, lower_number(L, 0));
    kernel_if(block.outer, lower_op(L, CORE_AND, lane->inside, first), lower_block_end(L, &block),
              (KernelBlock){0});
}

/* The sum of the tile's rows is known; that of a segment's first tile is its whole prefix. */
static void publish_total(Lower *L, TileScan *t, const Lane *lane)
{
    publish(L, t, lane, tile_total(L, t, lane),
            lower_op(L, CORE_EQ, t->number, lower_number(L, 0)));
}

/* window[l] = what the segment's tile 1 + lane tiles ago has published; before its first tile there is a whole prefix. */
static void fill_window(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop near, block, other;
    const Segments *s = t->scan.s;
    lower_block_begin(L, &near);
    const KernelExp *ago = lower_op(L, CORE_ADD, lane->lane, lower_number(L, 1));
    ago = lower_let(L, "ago", ago);
    lower_block_begin(L, &block);
    KernelVariable *whole = lower_bool(L, "whole");
    const KernelExp *distance = lower_op(L, CORE_MUL, ago, t->scan.groups);
    const KernelExp *before = lower_let(L, "before", lower_op(L, CORE_SUB, t->ticket, distance));
    segment_stores(L, s, t->window, lane->l, await(L, t, lane, before, whole));
    kernel_store(L->b, t->seen, lane->l, kernel_use(L->c, whole));
    KernelBlock published = lower_block_end(L, &block);
    lower_block_begin(L, &other);
    segment_stores(L, s, t->window, lane->l, segment_neutral(L, s));
    kernel_store(L->b, t->seen, lane->l, lower_truth(L, true));
    KernelBlock none = lower_block_end(L, &other);
    const KernelExp *is_there = lower_op(L, CORE_LE, ago, t->number);
    kernel_if(L->b, lower_op(L, CORE_AND, lane->inside, is_there), published, none);
    kernel_if(near.outer, lower_op(L, CORE_LT, lane->lane, t->reach), lower_block_end(L, &near),
              (KernelBlock){0});
}

static void publish_and_wait(Lower *L, TileScan *t, const Lane *lane)
{
    first_lane(L, t, lane, publish_total);
    fill_window(L, t, lane);
}

/* A sum that grows towards earlier tiles until it has met a whole prefix. */
typedef struct Growing {
    KernelVariable **running, *done;
    Value *uses;
} Growing;

static Growing begin_growing(Lower *L, const Segments *s, KernelVariable *const *values,
                             KernelVariable *whole, const KernelExp *first)
{
    Growing growing = {ARENA_ARRAY(L->c->arena, KernelVariable *, s->scanned + 1),
                       lower_bool(L, "done"), NULL};
    growing.uses = segment_variables(L, s, segment_loads(L, s, values, first), growing.running);
    kernel_declare(L->b, growing.done, kernel_load(L->c, whole, first));
    return growing;
}

/* while not done and below the end { the next value, in the row after } */
static void grow(Lower *L, TileScan *t, const Growing *growing, KernelVariable *const *values,
                 KernelVariable *whole, const KernelExp *first, const KernelExp *end)
{
    LowerLoop loop;
    const Segments *s = t->scan.s;
    KernelVariable *place = kernel_variable(L->c, "place", CORE_I64, KERNEL_SCALAR, L->b->span);
    KernelVariable *going = lower_bool(L, "going");
    const KernelExp *done = kernel_use(L->c, growing->done), *at = kernel_use(L->c, place);
    const KernelExp *is_more =
        lower_op(L, CORE_AND, lower_op(L, CORE_LT, at, end), kernel_unary(L->c, CORE_NOT, done));
    kernel_declare(L->b, place, lower_op(L, CORE_ADD, first, t->scan.slots));
    kernel_declare(L->b, going, is_more);
    lower_block_begin(L, &loop);
    const Value *more = segment_loads(L, s, values, at);
    segment_change(L, s, growing->running, segment_combine(L, s, more, growing->uses));
    kernel_assign(L->b, growing->done, kernel_load(L->c, whole, at));
    kernel_assign(L->b, place, lower_op(L, CORE_ADD, at, t->scan.slots));
    kernel_assign(L->b, going, is_more);
    kernel_while(loop.outer, going, lower_block_end(L, &loop));
}

/* The first of 16 lanes: fold = what their part of the window comes to. */
static void fold_part(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop block;
    const ScanKernel *scan = &t->scan;
    const KernelExp *folded = lower_number(L, FOLDED);
    const KernelExp *number = kernel_divide(L->c, lane->lane, folded);
    lower_block_begin(L, &block);
    Growing growing = begin_growing(L, scan->s, t->window, t->seen, lane->l);
    const KernelExp *end = lower_op(L, CORE_ADD, lane->lane, folded);
    end = lower_op(L, CORE_MUL, lower_op(L, CORE_MIN, end, t->reach), scan->slots);
    grow(L, t, &growing, t->window, t->seen, lane->l, lower_let(L, "end", end));
    const KernelExp *at = place(L, scan, number, lane->slot);
    segment_stores(L, scan->s, t->fold, at, growing.uses);
    kernel_store(L->b, t->folded, at, kernel_use(L->c, growing.done));
    const KernelExp *rest = kernel_modulo(L->c, lane->lane, folded);
    const KernelExp *is_near = lower_op(L, CORE_LT, lane->lane, t->reach);
    const KernelExp *folds =
        lower_op(L, CORE_AND, is_near, lower_op(L, CORE_EQ, rest, lower_number(L, 0)));
    kernel_if(block.outer, folds, lower_block_end(L, &block), (KernelBlock){0});
}

/* while not done { one tile more }: all tiles of the window had but their own sums. */
static void grow_on(Lower *L, TileScan *t, const Growing *growing, const Lane *lane)
{
    LowerLoop loop;
    const Segments *s = t->scan.s;
    KernelVariable *at = kernel_variable(L->c, "before", CORE_I64, KERNEL_SCALAR, L->b->span);
    KernelVariable *going = lower_bool(L, "going");
    const KernelExp *beyond = lower_op(L, CORE_ADD, t->reach, lower_number(L, 1));
    beyond = lower_op(L, CORE_MUL, beyond, t->scan.groups);
    kernel_declare(L->b, at, lower_op(L, CORE_SUB, t->ticket, beyond));
    kernel_declare(L->b, going, kernel_unary(L->c, CORE_NOT, kernel_use(L->c, growing->done)));
    lower_block_begin(L, &loop);
    KernelVariable *whole = lower_bool(L, "whole");
    const Value *left = await(L, t, lane, kernel_use(L->c, at), whole);
    segment_change(L, s, growing->running, segment_combine(L, s, left, growing->uses));
    kernel_assign(L->b, going, kernel_unary(L->c, CORE_NOT, kernel_use(L->c, whole)));
    kernel_assign(L->b, at, lower_op(L, CORE_SUB, kernel_use(L->c, at), t->scan.groups));
    kernel_while(loop.outer, going, lower_block_end(L, &loop));
}

/* prefix = the sum of all before the tile; then its own whole prefix is known. */
static void fold_folds(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop later;
    const Segments *s = t->scan.s;
    Growing growing = begin_growing(L, s, t->fold, t->folded, lane->slot);
    const KernelExp *end = lower_ceiling(L, t->reach, lower_number(L, FOLDED));
    end = lower_let(L, "end", lower_op(L, CORE_MUL, end, t->scan.slots));
    grow(L, t, &growing, t->fold, t->folded, lane->slot, end);
    grow_on(L, t, &growing, lane);
    segment_stores(L, s, t->prefix, lane->slot, growing.uses);
    lower_block_begin(L, &later);
    const Value *total = tile_total(L, t, lane);
    publish(L, t, lane, segment_combine(L, s, growing.uses, total), lower_truth(L, true));
    kernel_if(later.outer, lower_op(L, CORE_GT, t->number, lower_number(L, 0)),
              lower_block_end(L, &later), (KernelBlock){0});
}

static void look_back(Lower *L, TileScan *t, const Lane *lane)
{
    first_lane(L, t, lane, fold_folds);
}

/* window[l] = prefix op the total of the lane before; of a segment's first lane, prefix. */
static void carry_prefix(Lower *L, TileScan *t, const Lane *lane)
{
    LowerLoop later, first;
    const ScanKernel *scan = &t->scan;
    const Segments *s = scan->s;
    const Value *prefix = segment_loads(L, s, t->prefix, lane->slot);
    lower_block_begin(L, &later);
    const KernelExp *before = lower_op(L, CORE_SUB, lane->l, scan->step);
    before = segment_alternate(L, scan->levels, KERNEL_GROUP_SIZE, before);
    const Value *total = segment_loads(L, s, scan->total, before);
    segment_stores(L, s, t->window, lane->l, segment_combine(L, s, prefix, total));
    KernelBlock combined = lower_block_end(L, &later);
    lower_block_begin(L, &first);
    segment_stores(L, s, t->window, lane->l, prefix);
    kernel_if(first.outer, lower_op(L, CORE_GT, lane->lane, lower_number(L, 0)), combined,
              lower_block_end(L, &first));
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void make_kernel(Lower *L, TileScan *t)
{
    declare_locals(L, t);
    take_ticket(L, t);
    side_by_side(L, t, map_rows);
    after_all(L, t, scan_own_rows);
    segment_scan_totals(L, &t->scan);
    after_all(L, t, publish_and_wait);
    after_all(L, t, fold_part);
    after_all(L, t, look_back);
    after_all(L, t, carry_prefix);
    after_all(L, t, write_rows);
    segment_write_scalars(L, &t->scan, lower_op(L, CORE_EQ, t->number, lower_number(L, 0)));
}

bool segment_look_back(Lower *L, Segments *s, bool across)
{
    TileScan t = {.scan = {.s = s, .across = across}, .rows = rows_of_item(s)};
    t.light_map = lower_is_light(s->soac->map);
    t.light_op = lower_scans_are_light(s->soac);
    find_layout(L, &t);
    const KernelExp *groups = lower_op(L, CORE_MUL, t.scan.tiles, t.scan.groups);
    groups = lower_let(L, "tiles", groups);
    const KernelExp *pieces =
        lower_let(L, "pieces", lower_op(L, CORE_MUL, t.scan.tiles, t.scan.lanes));
    segment_begin_parts(L, s, pieces);
    lower_kernel_begin(L, &t.scan.kernel, true);
    make_kernel(L, &t);
    L->failed = L->failed || t.scan.kernel.frame.scratch.count > 0;
    return lower_kernel_end(L, &t.scan.kernel, "segments", s->text, groups) &&
           segment_join_parts(L, s, pieces);
}
