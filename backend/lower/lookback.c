/* Scans in a single pass with decoupled look-back (Merrill and Garland, 2016): each element is read
   once and written once.

       scan (+) 0 (map f xs)   ==>

       GROUP g < tiles {
           TICKET tile                                 groups that come earlier have smaller numbers
           LOCAL { for s < 32 { x[256*s + l] = f(xs[8192*tile + 256*s + l]) } }
           LOCAL { x[32*l ..] becomes its own scan; local[l] = its sum }
           local becomes its own scan
           LOCAL { l = 0: PUBLISH tile = local[255]
                   l < 64: window[l], seen[l] = AWAIT tile - 1 - l }
           fold the window from the nearest tile on, up to one whose whole prefix is known
           LOCAL { l = 0: PUBLISH tile = prefix + local[255], whole }
           LOCAL { window[l] = prefix + local[l - 1] }     before the rows of work-item l
           LOCAL { for s < 32 { ys[8192*tile + 256*s + l] = window[..] + x[256*s + l] } }
       }

   In the last step a scanned row goes to what takes it at once, too (epilogue.c).
   A tile waits only for tiles with smaller numbers, whose groups have started; where the device
   lets these run on ("looks_back") none waits for ever. Nothing relies on work-items that run
   in lock-step: each of the 64 waits for its own tile, and they meet at a barrier.

   What a tile publishes is in words of 32 bits each beside the number of the launch and the bool
   that says which of both it is: whoever waits reads all of them until they are of one time, and
   no fence is needed. Nothing has to be cleared before the next launch.

   Rows are read and written in coalesced order, and pass through local memory: a work-item scans
   neighbouring rows. Every run of 2K elements there is followed by an empty one, so that neither
   order meets bank conflicts. Operands keep their order; barriers stand at the top of the kernel
   only. */
#include "backend/lower/scan.h"

typedef struct LookBack {
    GroupScan *scan;
    LowerKernel kernel;
    int64_t rows;                  /* of a work-item */
    int64_t shift;                 /* local memory has a gap after each 2^shift elements */
    bool light_map, light_op;      /* worth being written out */
    const KernelExp *tile, *first; /* the tile, its first row */
    KernelVariable *seen;          /* local: whether a window's value is a whole prefix */
} LookBack;

/* Bytes of local memory for a tile with so many rows of a work-item; `more`: of each work-item. */
static int64_t local_bytes(int64_t rows, int64_t bytes, int64_t more)
{
    int64_t elements = rows * KERNEL_GROUP_SIZE + KERNEL_GROUP_SIZE / 2;
    return (elements + 2 * KERNEL_GROUP_SIZE + 3 * LOWER_BRANCHES) * bytes + LOWER_BRANCHES +
           KERNEL_GROUP_SIZE * (1 + more) + 8;
}

/* How many rows a work-item has; false where a row is too wide for local memory. */
static bool choose_tile(LookBack *b)
{
    int64_t bytes = 0, more = b->scan->epilogue != NULL ? b->scan->epilogue->local_bytes : 0;
    for (size_t k = 0; k < b->scan->count; k++) {
        bytes += core_prim_bytes(b->scan->components[k].prim);
    }
    b->rows = LOOK_BACK_ROWS;
    while (b->rows > 1 && local_bytes(b->rows, bytes, more) > LOOK_BACK_BYTES) {
        b->rows /= 2;
    }
    for (b->shift = 1; b->rows >> b->shift > 0;) {
        b->shift++;
    }
    return local_bytes(b->rows, bytes, more) <= LOOK_BACK_BYTES;
}

static const KernelExp *tile_rows(Lower *L, const LookBack *b)
{
    return lower_number(L, b->rows * KERNEL_GROUP_SIZE);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void declare_locals(Lower *L, LookBack *b)
{
    int64_t rows = b->rows * KERNEL_GROUP_SIZE;
    lower_scan_declare(L, b->scan, KERNEL_GROUP_SIZE);
    for (size_t k = 0; k < b->scan->count; k++) {
        ScanComponent *component = &b->scan->components[k];
        component->tile = lower_scan_buffer(L, component, KERNEL_LOCAL);
        component->window = lower_scan_buffer(L, component, KERNEL_LOCAL);
        kernel_declare_buffer(L->b, component->tile, rows + (rows >> b->shift));
        kernel_declare_buffer(L->b, component->window, KERNEL_GROUP_SIZE + LOWER_BRANCHES);
    }
    b->seen = kernel_variable(L->c, "seen", CORE_BOOL, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, b->seen, LOOK_BACK_WINDOW + LOOK_BACK_WINDOW / LOWER_BRANCHES);
}

/* Values of all components at one place of these buffers. */
typedef KernelVariable *BufferOf(const ScanComponent *component);

static KernelVariable *tile_of(const ScanComponent *component)
{
    return component->tile;
}

static KernelVariable *window_of(const ScanComponent *component)
{
    return component->window;
}

static KernelVariable *local_of(const ScanComponent *component)
{
    return component->local;
}

/* The place of the last work-item's values. */
static const KernelExp *last_lane(Lower *L)
{
    return lower_lane(L, lower_number(L, KERNEL_GROUP_SIZE - 1), KERNEL_GROUP_SIZE);
}

static Value *load_all(Lower *L, const LookBack *b, BufferOf *buffer, const KernelExp *at)
{
    Value *values = lower_scan_values(L, b->scan);
    for (size_t k = 0; k < b->scan->count; k++) {
        const ScanComponent *component = &b->scan->components[k];
        values[k].scalar = lower_let(L, component->text, kernel_load(L->c, buffer(component), at));
    }
    return values;
}

static void store_all(Lower *L, const LookBack *b, BufferOf *buffer, const KernelExp *at,
                      const Value *values)
{
    for (size_t k = 0; k < b->scan->count; k++) {
        kernel_store(L->b, buffer(&b->scan->components[k]), at, values[k].scalar);
    }
}

/* left op right. */
static Value *combined(Lower *L, const LookBack *b, const Value *left, const Value *right)
{
    Value *sum = lower_scan_values(L, b->scan);
    lower_scan_combine(L, b->scan, left, right, sum);
    return sum;
}

/* ---- variables that are assigned ------------------------------------------------------------- */

static KernelVariable **declare_all(Lower *L, const LookBack *b, const Value *values)
{
    KernelVariable **running = ARENA_ARRAY(L->c->arena, KernelVariable *, b->scan->count + 1);
    for (size_t k = 0; k < b->scan->count; k++) {
        running[k] = lower_scan_buffer(L, &b->scan->components[k], KERNEL_SCALAR);
        kernel_declare(L->b, running[k], values[k].scalar);
    }
    return running;
}

static Value *used(Lower *L, const LookBack *b, KernelVariable *const *running)
{
    Value *values = lower_scan_values(L, b->scan);
    for (size_t k = 0; k < b->scan->count; k++) {
        values[k].scalar = kernel_use(L->c, running[k]);
    }
    return values;
}

/* All values are there before the first variable changes. */
static void assign_all(Lower *L, const LookBack *b, KernelVariable *const *running,
                       const Value *values)
{
    Value *next = lower_scan_values(L, b->scan);
    for (size_t k = 0; k < b->scan->count; k++) {
        next[k] = values[k];
        if (b->scan->count > 1) {
            KernelVariable *saved = lower_scan_buffer(L, &b->scan->components[k], KERNEL_SCALAR);
            kernel_declare(L->b, saved, values[k].scalar);
            next[k].scalar = kernel_use(L->c, saved);
        }
    }
    for (size_t k = 0; k < b->scan->count; k++) {
        kernel_assign(L->b, running[k], next[k].scalar);
    }
}

/* ---- a tile's rows --------------------------------------------------------------------------- */

/* Row number s of this work-item in coalesced order: its number, and its place in local memory. */
typedef struct TileRow {
    const KernelExp *l, *s, *row, *at;
} TileRow;

typedef void RowWork(Lower *L, LookBack *b, const TileRow *row, const KernelExp *inside);

static void row_loop(Lower *L, LookBack *b, const KernelExp *l, RowWork *work, bool guarded,
                     unsigned written_out)
{
    LowerLoop loop;
    int64_t size = KERNEL_GROUP_SIZE;
    TileRow row;
    const KernelExp *gaps = kernel_divide(L->c, l, lower_number(L, 1LL << b->shift));
    const KernelExp *place = lower_let(L, "place", lower_op(L, CORE_ADD, l, gaps));
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_ADD, b->first, l));
    lower_is_row(first, b->scan->width);
    lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, b->rows));
    const KernelExp *s = loop.index;
    row.row = lower_let(
        L, "i", lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, s, lower_number(L, size))));
    lower_is_row(row.row, b->scan->width);
    row.at = lower_op(L, CORE_ADD, place,
                      lower_op(L, CORE_MUL, s, lower_number(L, size + (size >> b->shift))));
    row.at = lower_let(L, "at", row.at);
    row.l = l;
    row.s = s;
    if (guarded) {
        const KernelExp *inside =
            lower_let(L, "inside", lower_op(L, CORE_LT, row.row, b->scan->width));
        work(L, b, &row, inside);
    } else {
        work(L, b, &row, NULL);
    }
    loop.written_out = written_out;
    lower_loop_end(L, &loop);
}

/* if the tile is full { all rows at once } else { rows below the width }; what is not worth being
   written out has the second form alone. */
static void each_row(Lower *L, LookBack *b, const KernelExp *l, RowWork *work, bool light)
{
    if (!light) {
        row_loop(L, b, l, work, true, 0);
        return;
    }
    LowerLoop full, part;
    const KernelExp *end = lower_op(L, CORE_ADD, b->first, tile_rows(L, b));
    const KernelExp *is_full = lower_let(L, "full", lower_op(L, CORE_LE, end, b->scan->width));
    lower_block_begin(L, &full);
    row_loop(L, b, l, work, false, KERNEL_WRITE_OUT);
    KernelBlock all = lower_block_end(L, &full);
    lower_block_begin(L, &part);
    row_loop(L, b, l, work, true, 0);
    kernel_if(part.outer, is_full, all, lower_block_end(L, &part));
}

/* tile[at] = f(row), or neutral elements behind the last row. */
static void map_row(Lower *L, LookBack *b, const TileRow *row, const KernelExp *inside)
{
    if (inside == NULL) {
        store_all(L, b, tile_of, row->at, lower_scan_row(L, b->scan, row->row));
        return;
    }
    LowerLoop block, other;
    Value *neutral = lower_scan_values(L, b->scan);
    lower_block_begin(L, &block);
    store_all(L, b, tile_of, row->at, lower_scan_row(L, b->scan, row->row));
    KernelBlock stored = lower_block_end(L, &block);
    lower_block_begin(L, &other);
    for (size_t k = 0; k < b->scan->count; k++) {
        neutral[k].scalar = b->scan->components[k].neutral;
    }
    store_all(L, b, tile_of, row->at, neutral);
    KernelBlock empty = lower_block_end(L, &other);
    kernel_if(L->b, inside, stored, empty);
}

/* left op tile[at], and, where they are wanted, the same of the place before, or left alone for the first row of the
   work-item that has scanned it. */
static Value *finishing(Lower *L, const LookBack *b, const Value *left, const KernelExp *at,
                        const KernelExp *is_first)
{
    Value *values =
        lower_scan_finishing(L, b->scan, combined(L, b, left, load_all(L, b, tile_of, at)));
    if (!lower_scan_wants_before(b->scan)) {
        return values;
    }
    is_first = lower_let(L, "is_first", is_first);
    const KernelExp *step = kernel_select(L->c, is_first, lower_number(L, 0), lower_number(L, 1));
    const KernelExp *place = lower_let(L, "place", lower_op(L, CORE_SUB, at, step));
    const Value *sum = combined(L, b, left, load_all(L, b, tile_of, place));
    for (size_t k = 0; k < b->scan->count; k++) {
        values[b->scan->count + k].scalar =
            kernel_select(L->c, is_first, left[k].scalar, sum[k].scalar);
    }
    return values;
}

/* out[row] = what comes before the work-item that has scanned it, op tile[at]. */
static void write_row(Lower *L, LookBack *b, const TileRow *row, const KernelExp *inside)
{
    LowerLoop block;
    if (inside != NULL) {
        lower_block_begin(L, &block);
    }
    const KernelExp *scanned_by = kernel_divide(L->c, row->l, lower_number(L, b->rows));
    const KernelExp *turns =
        lower_op(L, CORE_MUL, row->s, lower_number(L, KERNEL_GROUP_SIZE / b->rows));
    Value *left =
        load_all(L, b, window_of, lower_let(L, "by", lower_op(L, CORE_ADD, scanned_by, turns)));
    const KernelExp *number = kernel_modulo(L->c, row->l, lower_number(L, b->rows));
    const KernelExp *is_first = lower_op(L, CORE_EQ, number, lower_number(L, 0));
    lower_scan_finished(L, b->scan, row->row, finishing(L, b, left, row->at, is_first));
    if (inside != NULL) {
        KernelBlock stored = lower_block_end(L, &block);
        kernel_if(L->b, inside, stored, (KernelBlock){0});
    }
}

/* Where the neighbouring rows of work-item l begin in local memory. */
static const KernelExp *own_rows(Lower *L, const LookBack *b, const KernelExp *l)
{
    const KernelExp *gaps = kernel_divide(L->c, l, lower_number(L, 2));
    const KernelExp *rows = lower_op(L, CORE_MUL, l, lower_number(L, b->rows));
    return lower_let(L, "first", lower_op(L, CORE_ADD, rows, gaps));
}

/* As write_row, of the neighbouring rows of work-item l in their order. */
static void write_own_rows(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop loop, block;
    const KernelExp *place = own_rows(L, b, l);
    const KernelExp *before = lower_op(L, CORE_MUL, l, lower_number(L, b->rows));
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_ADD, b->first, before));
    lower_is_row(first, b->scan->width);
    Value *left = load_all(L, b, window_of, l);
    lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, b->rows));
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, first, loop.index));
    lower_is_row(row, b->scan->width);
    lower_block_begin(L, &block);
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, place, loop.index));
    const KernelExp *is_first = lower_op(L, CORE_EQ, loop.index, lower_number(L, 0));
    lower_scan_finished(L, b->scan, row, finishing(L, b, left, at, is_first));
    KernelBlock stored = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_LT, row, b->scan->width), stored, (KernelBlock){0});
    lower_loop_end(L, &loop);
}

/* The rows of work-item l become their own scan; local[l] = their sum. */
static void scan_rows(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop loop;
    const KernelExp *first = own_rows(L, b, l);
    KernelVariable **running = declare_all(L, b, load_all(L, b, tile_of, first));
    if (b->rows > 1) {
        lower_loop_begin(L, &loop, FRAME_MAP, "s", lower_number(L, b->rows - 1));
        const KernelExp *next = lower_op(L, CORE_ADD, loop.index, lower_number(L, 1));
        const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, first, next));
        Value *sum = combined(L, b, used(L, b, running), load_all(L, b, tile_of, at));
        assign_all(L, b, running, sum);
        store_all(L, b, tile_of, at, used(L, b, running));
        loop.written_out = b->light_op ? KERNEL_WRITE_OUT : 0;
        lower_loop_end(L, &loop);
    }
    store_all(L, b, local_of, lower_lane(L, l, KERNEL_GROUP_SIZE), used(L, b, running));
}

/* ---- looking back ---------------------------------------------------------------------------- */

/* This work-item has `values` of the tile: its whole prefix, or the sum of its own rows. */
static void publish(Lower *L, LookBack *b, const Value *values, const KernelExp *whole)
{
    const KernelExp **scalars = ARENA_ARRAY(L->c->arena, const KernelExp *, b->scan->count + 1);
    for (size_t k = 0; k < b->scan->count; k++) {
        scalars[k] = lower_let(L, b->scan->components[k].text, values[k].scalar);
    }
    kernel_publish(L->b, b->tile, whole, b->scan->count, scalars);
}

/* What tile `at` has published. */
static Value *await(Lower *L, LookBack *b, const KernelExp *at, KernelVariable *whole)
{
    KernelVariable **payload = ARENA_ARRAY(L->c->arena, KernelVariable *, b->scan->count + 1);
    for (size_t k = 0; k < b->scan->count; k++) {
        payload[k] = lower_scan_buffer(L, &b->scan->components[k], KERNEL_SCALAR);
    }
    kernel_await(L->b, whole, b->scan->count, payload, at);
    return used(L, b, payload);
}

/* Work-item 0: the sum of the tile's rows is known; that of tile 0 is its whole prefix. */
static void publish_total(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    Value *total = load_all(L, b, local_of, last_lane(L));
    publish(L, b, total, lower_op(L, CORE_EQ, b->tile, lower_number(L, 0)));
    kernel_if(block.outer, lower_op(L, CORE_EQ, l, lower_number(L, 0)), lower_block_end(L, &block),
              (KernelBlock){0});
}

/* Work-item l < 64: window[lane of l] = what tile - 1 - l has published; before the first tile there is a whole prefix. */
static void fill_window(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop outer, block, other;
    lower_block_begin(L, &outer);
    const KernelExp *before = lower_op(L, CORE_SUB, b->tile, lower_number(L, 1));
    const KernelExp *at = lower_let(L, "before", lower_op(L, CORE_SUB, before, l));
    const KernelExp *lane = lower_lane(L, l, KERNEL_GROUP_SIZE);
    Value *neutral = lower_scan_values(L, b->scan);
    lower_block_begin(L, &block);
    KernelVariable *whole = lower_bool(L, "whole");
    store_all(L, b, window_of, lane, await(L, b, at, whole));
    kernel_store(L->b, b->seen, lane, kernel_use(L->c, whole));
    KernelBlock published = lower_block_end(L, &block);
    lower_block_begin(L, &other);
    for (size_t k = 0; k < b->scan->count; k++) {
        neutral[k].scalar = b->scan->components[k].neutral;
    }
    store_all(L, b, window_of, lane, neutral);
    kernel_store(L->b, b->seen, lane, lower_truth(L, true));
    KernelBlock none = lower_block_end(L, &other);
    kernel_if(L->b, lower_op(L, CORE_GE, at, lower_number(L, 0)), published, none);
    kernel_if(outer.outer, lower_op(L, CORE_LT, l, lower_number(L, LOOK_BACK_WINDOW)),
              lower_block_end(L, &outer), (KernelBlock){0});
}

/* A sum that grows towards earlier tiles until it has met a whole prefix. */
typedef struct Growing {
    KernelVariable **running, *done;
} Growing;

static Growing begin_growing(Lower *L, LookBack *b, const KernelExp *at)
{
    Growing growing = {declare_all(L, b, load_all(L, b, window_of, at)), lower_bool(L, "done")};
    kernel_declare(L->b, growing.done, kernel_load(L->c, b->seen, at));
    return growing;
}

/* So many values, the first among them, `step` apart. */
static void grow(Lower *L, LookBack *b, const Growing *growing, const KernelExp *first,
                 int64_t count, int64_t step)
{
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, count - 1));
    const KernelExp *distance = lower_op(
        L, CORE_MUL, lower_op(L, CORE_ADD, loop.index, lower_number(L, 1)), lower_number(L, step));
    const KernelExp *at = lower_let(L, "at", lower_op(L, CORE_ADD, first, distance));
    Value *now = used(L, b, growing->running);
    Value *more = combined(L, b, load_all(L, b, window_of, at), now);
    const KernelExp *done = kernel_use(L->c, growing->done);
    for (size_t k = 0; k < b->scan->count; k++) {
        more[k].scalar = kernel_select(L->c, done, now[k].scalar, more[k].scalar);
    }
    assign_all(L, b, growing->running, more);
    kernel_assign(L->b, growing->done, lower_op(L, CORE_OR, done, kernel_load(L->c, b->seen, at)));
    loop.written_out = b->light_op ? KERNEL_WRITE_OUT : 0;
    lower_loop_end(L, &loop);
}

/* Work-item l < 4: the first of branch l of the window = the sum of its 16. */
static void fold_branches(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *first =
        lower_let(L, "first", lower_op(L, CORE_MUL, l, lower_number(L, LOWER_BRANCHES + 1)));
    Growing growing = begin_growing(L, b, first);
    grow(L, b, &growing, first, LOWER_BRANCHES, 1);
    store_all(L, b, window_of, first, used(L, b, growing.running));
    kernel_store(L->b, b->seen, first, kernel_use(L->c, growing.done));
    kernel_if(block.outer,
              lower_op(L, CORE_LT, l, lower_number(L, LOOK_BACK_WINDOW / LOWER_BRANCHES)),
              lower_block_end(L, &block), (KernelBlock){0});
}

/* while not done { one tile more }: all tiles of the window had but their own sums. */
static void grow_on(Lower *L, LookBack *b, const Growing *growing)
{
    LowerLoop loop;
    KernelVariable *at = kernel_variable(L->c, "before", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, at, lower_op(L, CORE_SUB, b->tile, lower_number(L, LOOK_BACK_WINDOW + 1)));
    KernelVariable *going = lower_bool(L, "going");
    kernel_declare(L->b, going, kernel_unary(L->c, CORE_NOT, kernel_use(L->c, growing->done)));
    lower_block_begin(L, &loop);
    KernelVariable *whole = lower_bool(L, "whole");
    Value *left = await(L, b, kernel_use(L->c, at), whole);
    assign_all(L, b, growing->running, combined(L, b, left, used(L, b, growing->running)));
    kernel_assign(L->b, going, kernel_unary(L->c, CORE_NOT, kernel_use(L->c, whole)));
    kernel_assign(L->b, at, lower_op(L, CORE_SUB, kernel_use(L->c, at), lower_number(L, 1)));
    kernel_while(loop.outer, going, lower_block_end(L, &loop));
}

/* Work-item 0: window[0] = the sum of all before the tile; then its own whole prefix is known. */
static void fold_window(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop block, later;
    lower_block_begin(L, &block);
    Growing growing = begin_growing(L, b, lower_number(L, 0));
    grow(L, b, &growing, lower_number(L, 0), LOOK_BACK_WINDOW / LOWER_BRANCHES, LOWER_BRANCHES + 1);
    grow_on(L, b, &growing);
    Value *before = used(L, b, growing.running);
    store_all(L, b, window_of, lower_number(L, 0), before);
    lower_block_begin(L, &later);
    Value *total = load_all(L, b, local_of, last_lane(L));
    publish(L, b, combined(L, b, before, total), lower_truth(L, true));
    kernel_if(later.outer, lower_op(L, CORE_GT, b->tile, lower_number(L, 0)),
              lower_block_end(L, &later), (KernelBlock){0});
    kernel_if(block.outer, lower_op(L, CORE_EQ, l, lower_number(L, 0)), lower_block_end(L, &block),
              (KernelBlock){0});
}

/* Work-item l > 0: window[l] = window[0] op local[l - 1]. */
static void carry_prefix(Lower *L, LookBack *b, const KernelExp *l)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *before = lower_let(L, "before", lower_op(L, CORE_SUB, l, lower_number(L, 1)));
    Value *left = load_all(L, b, window_of, lower_number(L, 0));
    before = lower_lane(L, before, KERNEL_GROUP_SIZE);
    store_all(L, b, window_of, l, combined(L, b, left, load_all(L, b, local_of, before)));
    kernel_if(block.outer, lower_op(L, CORE_GT, l, lower_number(L, 0)), lower_block_end(L, &block),
              (KernelBlock){0});
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef void ItemWork(Lower *L, LookBack *b, const KernelExp *l);

static void side_by_side(Lower *L, LookBack *b, ItemWork *work)
{
    LowerLoop local;
    lower_local_begin(L, &b->kernel, &local);
    work(L, b, local.index);
    lower_local_end(L, &b->kernel, &local);
}

/* What the work-items have stored before, all of them see. */
static void after_all(Lower *L, LookBack *b, ItemWork *work)
{
    kernel_barrier(L->b);
    side_by_side(L, b, work);
}

static void publish_and_wait(Lower *L, LookBack *b, const KernelExp *l)
{
    publish_total(L, b, l);
    fill_window(L, b, l);
}

static void map_rows(Lower *L, LookBack *b, const KernelExp *l)
{
    each_row(L, b, l, map_row, b->light_map);
}

static void write_rows(Lower *L, LookBack *b, const KernelExp *l)
{
    const ScanEpilogue *epilogue = b->scan->epilogue;
    lower_epilogue(L, b->scan, EPILOGUE_BEGIN, NULL);
    if (epilogue != NULL && epilogue->in_order) {
        write_own_rows(L, b, l);
    } else {
        each_row(L, b, l, write_row, b->light_op && (epilogue == NULL || epilogue->light));
    }
    lower_epilogue(L, b->scan, EPILOGUE_END, l);
}

static void take_ticket(Lower *L, LookBack *b)
{
    KernelVariable *ticket = kernel_variable(L->c, "ticket", CORE_I64, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, ticket, 1);
    kernel_ticket(L->b, ticket, 1);
    b->tile = lower_let(L, "tile", kernel_load(L->c, ticket, lower_number(L, 0)));
    lower_is_row(b->tile, b->scan->width);
    b->first = lower_let(L, "start", lower_op(L, CORE_MUL, b->tile, tile_rows(L, b)));
    lower_is_row(b->first, b->scan->width);
}

bool lower_scans_are_light(const CoreSoac *soac)
{
    for (size_t k = 0; k < soac->scan_count; k++) {
        if (!lower_is_light(soac->scans[k].function)) {
            return false;
        }
    }
    return true;
}

/* How many tiles there are. With an epilogue one at least: it may have something to say of no rows. */
static const KernelExp *number_of_tiles(Lower *L, const LookBack *b)
{
    const KernelExp *more = lower_op(L, CORE_SUB, tile_rows(L, b), lower_number(L, 1));
    const KernelExp *tiles =
        kernel_divide(L->c, lower_op(L, CORE_ADD, b->scan->width, more), tile_rows(L, b));
    if (b->scan->epilogue != NULL) {
        tiles = lower_op(L, CORE_MAX, tiles, lower_number(L, 1));
    }
    return lower_let(L, "tiles", tiles);
}

/* From the map lambda to the scanned rows, in the kernel. */
static void add_phases(Lower *L, LookBack *b)
{
    GroupScan *scan = b->scan;
    declare_locals(L, b);
    lower_epilogue(L, scan, EPILOGUE_DECLARE, NULL);
    take_ticket(L, b);
    side_by_side(L, b, map_rows);
    after_all(L, b, scan_rows);
    scan->written_out = b->light_op ? KERNEL_WRITE_OUT : 0;
    lower_scan_local(L, &b->kernel, scan);
    scan->written_out = 0;
    after_all(L, b, publish_and_wait);
    after_all(L, b, fold_branches);
    after_all(L, b, fold_window);
    after_all(L, b, carry_prefix);
    after_all(L, b, write_rows);
    lower_epilogue_finish(L, scan, &b->kernel, b->tile);
}

bool lower_scan_look_back(Lower *L, GroupScan *scan, const char *text)
{
    LookBack b = {.scan = scan};
    if (L->without_look_back || !choose_tile(&b)) {
        return false;
    }
    b.light_map = lower_is_light(scan->soac->map);
    b.light_op = lower_scans_are_light(scan->soac);
    const KernelExp *tiles = number_of_tiles(L, &b);
    lower_epilogue(L, scan, EPILOGUE_ALLOCATE, tiles);
    lower_kernel_begin(L, &b.kernel, true);
    add_phases(L, &b);
    /* a work-item for each few rows: too many for scratch memory of each */
    L->failed = L->failed || b.kernel.frame.scratch.count > 0;
    bool good = lower_kernel_end(L, &b.kernel, "scan", text, tiles);
    lower_epilogue(L, scan, EPILOGUE_RELEASE, NULL);
    return good;
}
