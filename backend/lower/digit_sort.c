/* A pass of a radix sort: digit_sort d xs puts xs in the order of their bytes number d; of equal ones elements keep
   theirs. It is a counting sort: parts of the elements count digits, a scan of the counts, digit by digit and for each of
   them part by part, says where those of each begin, and each part moves its elements there.

       counts[d * parts + p] = how many elements of part p have digit d
       starts = scan + 0 (map (\i -> i > 0 ? counts[i - 1] : 0) (iota (256 * parts)))
       each part: out[starts[d * parts + p] + how many with digit d come before it in the part] = x

   Sequentially the part is all elements, and on processors a contiguous share, a work-item each; where the next
   element of each digit goes is kept:

       for each element x { d = digit(x); out[next[d]] = x; next[d] = next[d] + 1 }

   On devices whose work-items work in lanes a part is a tile of a group, which is sorted in local memory first, so that
   elements with one digit are neighbours when they are stored. By two bits after the other: each work-item adds up those
   of its neighbouring elements, in four fields of a word, and a scan of the words says where they go:

       SEQ s < 4 { each work-item: word = sum over its elements of 1 << 16 * (bits 2s and 2s + 1 of the digit)
                   scan + words
                   each work-item: tile[place by the word] = x, and the word counts it }
       out[starts[d * parts + p] - the first i with digit d + i] = tile[i]

   Of a matrix each row is sorted: it has parts of its own, whose counts stand behind those of the row before. Where a row is
   one part there is nothing to count: it is a tile, or a work-item's. */
#include "backend/lower/scan.h"

enum {
    ROWS = 8,                        /* elements of a work-item in a tile */
    TILE = KERNEL_GROUP_SIZE * ROWS, /* of all */
    BITS = 2,                        /* of a digit that are sorted by at once */
    FIELD_BITS = 16,                 /* of a word: counts up to TILE */
    COPIES = 4,        /* of a group's counts: neighbours do not add to the same one */
    LEAST_SHARE = 4096 /* elements of a share, but the last */
};
_Static_assert((int)CORE_DIGITS == (int)KERNEL_GROUP_SIZE, "a work-item a digit");

typedef struct DigitSort {
    const CoreStm *stm;
    const char *text;
    const KernelExp *rows; /* NULL: it is a vector */
    const KernelExp *width, *digit;
    const Reader *array, *place;
    const KernelExp *parts;      /* host: how many, of a row */
    const KernelExp *share;      /* on processors: elements of a part at most */
    const Reader *counts, *sums; /* digit d of part p of row r is at (r * 256 + d) * parts + p */
    const KernelExp *row;        /* that is sorted */
    const CoreBody *sum;         /* makes the sums: the last statement is the scan */
    /* of a tile's kernel */
    LowerKernel *kernel;
    const KernelExp *part, *first,
        *is_full;               /* its number, its first element; all of them are there */
    KernelVariable *bins;       /* local: how many of each digit */
    KernelVariable *tile, *own; /* local; private: a work-item's elements */
    KernelVariable *starts,
        *firsts;     /* local, of each digit: where the tile's go, and where they begin in it */
    GroupScan words; /* one of each work-item */
} DigitSort;

/* The digit's first bit. */
static const KernelExp *shift_of(Lower *L, const DigitSort *sort)
{
    if (sort->digit->kind == KERNEL_CONSTANT) {
        return lower_number(L, (sort->digit->as.constant.as.integer & (CORE_I64_DIGITS - 1)) *
                                   CORE_DIGIT_BITS);
    }
    return lower_op(L, CORE_MUL,
                    lower_op(L, CORE_AND, sort->digit, lower_number(L, CORE_I64_DIGITS - 1)),
                    lower_number(L, CORE_DIGIT_BITS));
}

static const KernelExp *digit_of(Lower *L, const DigitSort *sort, const KernelExp *element)
{
    return lower_op(L, CORE_AND, lower_op(L, CORE_SHR, element, shift_of(L, sort)),
                    lower_number(L, CORE_DIGITS - 1));
}

static const KernelExp *read_element(Lower *L, const DigitSort *sort, const KernelExp *i)
{
    const KernelExp *at[2] = {sort->row, i};
    return lower_let(L, "x", lower_read(L, sort->array, sort->rows ? at : &i));
}

static void store_element(Lower *L, const DigitSort *sort, const KernelExp *i,
                          const KernelExp *element)
{
    const KernelExp *at[2] = {sort->row, i};
    lower_store_scalar(L, lower_row(L, sort->place, sort->rows ? 2 : 1, sort->rows ? at : &i),
                       element);
}

/* Digit d of the part of the row. */
static const KernelExp *slot(Lower *L, const DigitSort *sort, const KernelExp *digit,
                             const KernelExp *part)
{
    if (sort->rows) {
        const KernelExp *before = lower_op(L, CORE_MUL, sort->row, lower_number(L, CORE_DIGITS));
        digit = lower_op(L, CORE_ADD, before, digit);
    }
    return lower_let(L, "slot",
                     lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, digit, sort->parts), part));
}

/* Where the first element with digit d of the part goes in its row. */
static const KernelExp *start_of(Lower *L, const DigitSort *sort, const KernelExp *digit,
                                 const KernelExp *part)
{
    const KernelExp *at = slot(L, sort, digit, part);
    const KernelExp *start = lower_read(L, sort->sums, &at);
    return sort->rows ? lower_op(L, CORE_SUB, start, lower_op(L, CORE_MUL, sort->row, sort->width))
                      : start;
}

/* Which part of which row the kernel's row is. */
static const KernelExp *find_part(Lower *L, DigitSort *sort, const LowerKernel *kernel)
{
    const KernelExp *part = kernel_use(L->c, kernel->index);
    if (!sort->rows) {
        return part;
    }
    sort->row = lower_let(L, "row", kernel_divide(L->c, part, sort->parts));
    return lower_let(L, "part", kernel_modulo(L->c, part, sort->parts));
}

/* ---- one after the other ------------------------------------------------------------------ */

typedef struct Rows {
    const KernelExp *first, *count;
    KernelVariable *next; /* private: an i64 a digit */
} Rows;

static void begin_digits(Lower *L, LowerLoop *loop)
{
    lower_loop_begin(L, loop, FRAME_MAP, "d", lower_number(L, CORE_DIGITS));
}

/* The digit of element t of these. */
static const KernelExp *begin_rows(Lower *L, const DigitSort *sort, const Rows *rows,
                                   LowerLoop *loop, const KernelExp **element)
{
    lower_loop_begin(L, loop, FRAME_MAP, "t", rows->count);
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, rows->first, loop->index));
    lower_is_row(row, sort->width);
    *element = read_element(L, sort, row);
    return lower_let(L, "digit", digit_of(L, sort, *element));
}

/* next[d] = how many have that digit */
static void count_rows(Lower *L, const DigitSort *sort, const Rows *rows)
{
    LowerLoop loop;
    const KernelExp *element;
    kernel_declare_buffer(L->b, rows->next, CORE_DIGITS);
    begin_digits(L, &loop);
    kernel_store(L->b, rows->next, loop.index, lower_number(L, 0));
    lower_loop_end(L, &loop);
    const KernelExp *digit = begin_rows(L, sort, rows, &loop, &element);
    const KernelExp *count = kernel_load(L->c, rows->next, digit);
    kernel_store(L->b, rows->next, digit, lower_op(L, CORE_ADD, count, lower_number(L, 1)));
    lower_loop_end(L, &loop);
}

/* next[d] is where the next one that has it goes. */
static void move_rows(Lower *L, const DigitSort *sort, const Rows *rows)
{
    LowerLoop loop;
    const KernelExp *element, *digit = begin_rows(L, sort, rows, &loop, &element);
    const KernelExp *at = lower_let(L, "at", kernel_load(L->c, rows->next, digit));
    kernel_store(L->b, rows->next, digit, lower_op(L, CORE_ADD, at, lower_number(L, 1)));
    size_t stores = L->b->commands.count;
    store_element(L, sort, at, element);
    const KernelExp *inside[] = {lower_op(L, CORE_GE, at, lower_number(L, 0)),
                                 lower_op(L, CORE_LT, at, sort->width)};
    kernel_assume_stores(L->b, stores, sort->place->buffer, 2,
                         arena_copy(L->c->arena, inside, sizeof inside));
    lower_loop_end(L, &loop);
}

static Rows rows_from(Lower *L, const KernelExp *first, const KernelExp *count)
{
    return (Rows){first, count,
                  kernel_variable(L->c, "next", CORE_I64, KERNEL_PRIVATE, L->b->span)};
}

/* All elements of a row. */
static void sort_row(Lower *L, const DigitSort *sort)
{
    LowerLoop loop;
    Rows rows = rows_from(L, lower_number(L, 0), sort->width);
    count_rows(L, sort, &rows);
    KernelVariable *total = kernel_variable(L->c, "total", CORE_I64, KERNEL_SCALAR, L->b->span);
    const KernelExp *before = kernel_use(L->c, total);
    kernel_declare(L->b, total, lower_number(L, 0));
    begin_digits(L, &loop);
    const KernelExp *count = lower_let(L, "count", kernel_load(L->c, rows.next, loop.index));
    kernel_store(L->b, rows.next, loop.index, before);
    kernel_assign(L->b, total, lower_op(L, CORE_ADD, before, count));
    lower_loop_end(L, &loop);
    move_rows(L, sort, &rows);
}

static void sort_alone(Lower *L, DigitSort *sort)
{
    LowerLoop loop;
    if (!sort->rows) {
        sort_row(L, sort);
        return;
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "r", sort->rows);
    sort->row = loop.index;
    sort_row(L, sort);
    lower_loop_end(L, &loop);
}

/* ---- the parts' counts -------------------------------------------------------------------------- */

/* \i -> i > 0 ? counts[i - 1] : 0 */
static const CoreLambda *count_before(Compilation *c, CoreAtom counts, Span span)
{
    CoreName *parameter = core_name(c, "i", core_scalar(CORE_I64), span);
    CoreBuilder b = core_builder(c, span);
    CoreAtom i = core_use(parameter), zero = core_i64(0);
    CoreAtom is_later = core_let_binary(&b, "later", CORE_GT, i, zero);
    is_later = core_let_convert(&b, "later", CORE_I64, is_later);
    CoreAtom at = core_let_binary(&b, "at", CORE_SUB, i, is_later);
    CoreAtom count = core_let_index(&b, "count", counts, 1, &at);
    count = core_let_binary(&b, "count", CORE_MUL, count, is_later);
    return core_lambda(c, 1, &parameter, core_body(&b, 1, &count));
}

static const KernelExp *all_parts(Lower *L, const DigitSort *sort)
{
    return sort->rows ? lower_op(L, CORE_MUL, sort->rows, sort->parts) : sort->parts;
}

/* Room for the counts; and the statements that sum them, of which the last is the scan. */
static void begin_counts(Lower *L, DigitSort *sort)
{
    Compilation *c = L->c;
    CoreBuilder b = core_builder(c, sort->stm->span);
    const KernelExp *slots = lower_let(
        L, "slots", lower_op(L, CORE_MUL, all_parts(L, sort), lower_number(L, CORE_DIGITS)));
    CoreName *size = core_name(c, "slots", core_scalar(CORE_I64), b.span);
    CoreType type = core_array_of(c, core_use(size), core_scalar(CORE_I64));
    CoreName *counts = core_name(c, "counts", type, b.span);
    lower_bind_scalar(L, size, slots);
    sort->counts = lower_allocate(L, "counts", CORE_I64, 1, lower_shape(L, type));
    lower_bind_array(L, counts, sort->counts);
    CoreAtom zero = core_i64(0), places = core_let_iota(&b, "places", core_use(size));
    CoreReduction sum = {.function = core_operator_lambda(c, CORE_ADD, CORE_I64, b.span),
                         .neutral = &zero,
                         .commutative = true};
    CoreAtom starts =
        core_let(&b, "starts", type,
                 core_exp_soac(c, core_use(size), 1, &places,
                               count_before(c, core_use(counts), b.span), 0, NULL, 1, &sum));
    sort->sum = core_body(&b, 1, &starts);
}

static void end_kernel(Lower *L, const DigitSort *sort, LowerKernel *kernel, const char *kind)
{
    if (!lower_kernel_end(L, kernel, kind, sort->text, all_parts(L, sort))) {
        internal_error(L->c, "elements of i64 do not make a kernel");
    }
}

/* ---- by shares: processors ---------------------------------------------------------------------- */

static Rows share_of(Lower *L, const DigitSort *sort, const KernelExp *part)
{
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, part, sort->share));
    const KernelExp *left = lower_op(L, CORE_SUB, sort->width, first);
    left = lower_op(L, CORE_MAX, lower_op(L, CORE_MIN, sort->share, left), lower_number(L, 0));
    return rows_from(L, first, lower_let(L, "count", left));
}

/* A group of one work-item, so that the processor's threads share out the parts: its rows. */
static Rows begin_share(Lower *L, DigitSort *sort, LowerKernel *kernel, LowerLoop *local)
{
    lower_kernel_begin(L, kernel, true);
    kernel->lanes = 1;
    lower_local_begin(L, kernel, local);
    sort->part = find_part(L, sort, kernel);
    return share_of(L, sort, sort->part);
}

static void end_share(Lower *L, const DigitSort *sort, LowerKernel *kernel, LowerLoop *local,
                      const char *kind)
{
    lower_local_end(L, kernel, local);
    end_kernel(L, sort, kernel, kind);
}

static void count_shares(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    LowerLoop local, loop;
    Rows rows = begin_share(L, sort, &kernel, &local);
    count_rows(L, sort, &rows);
    begin_digits(L, &loop);
    const KernelExp *at = slot(L, sort, loop.index, sort->part);
    lower_store_scalar(L, lower_row(L, sort->counts, 1, &at),
                       kernel_load(L->c, rows.next, loop.index));
    lower_loop_end(L, &loop);
    end_share(L, sort, &kernel, &local, "count");
}

static void move_shares(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    LowerLoop local, loop;
    Rows rows = begin_share(L, sort, &kernel, &local);
    kernel_declare_buffer(L->b, rows.next, CORE_DIGITS);
    begin_digits(L, &loop);
    kernel_store(L->b, rows.next, loop.index, start_of(L, sort, loop.index, sort->part));
    lower_loop_end(L, &loop);
    move_rows(L, sort, &rows);
    kernel_mark_scattered(kernel_block(L->b), sort->place->buffer);
    end_share(L, sort, &kernel, &local, "sort");
}

static const KernelExp *count_of_shares(Lower *L, const DigitSort *sort)
{
    const KernelExp *least = lower_number(L, LEAST_SHARE);
    const KernelExp *one = lower_number(L, 1), *most = lower_device(L, "work_items", CORE_I64);
    if (sort->rows) {
        most = kernel_divide(L->c, most, lower_op(L, CORE_MAX, sort->rows, one));
    }
    const KernelExp *parts = lower_op(L, CORE_MIN, most, lower_ceiling(L, sort->width, least));
    return lower_op(L, CORE_MAX, parts, one);
}

/* A row is a part. */
static void sort_rows_alone(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    LowerLoop local;
    begin_share(L, sort, &kernel, &local);
    sort_row(L, sort);
    kernel_mark_scattered(kernel_block(L->b), sort->place->buffer);
    end_share(L, sort, &kernel, &local, "sort");
}

/* ---- by tiles: devices with lanes ---------------------------------------------------------------- */

static void begin_tile(Lower *L, DigitSort *sort, LowerKernel *kernel)
{
    lower_kernel_begin(L, kernel, true);
    sort->kernel = kernel;
    sort->part = find_part(L, sort, kernel);
    sort->first = lower_let(L, "first", lower_op(L, CORE_MUL, sort->part, lower_number(L, TILE)));
    const KernelExp *end = lower_op(L, CORE_ADD, sort->first, lower_number(L, TILE));
    sort->is_full = lower_let(L, "full", lower_op(L, CORE_LE, end, sort->width));
}

static KernelVariable *local_buffer(Lower *L, const char *text, CorePrim prim, int64_t count)
{
    KernelVariable *buffer = kernel_variable(L->c, text, prim, KERNEL_LOCAL, L->b->span);
    kernel_declare_buffer(L->b, buffer, count);
    return buffer;
}

/* Work-item l has every 256th number of the tile: this one is number t of them. */
typedef struct InTile {
    const KernelExp *l, *t, *number;
} InTile;

static InTile in_tile(Lower *L, const KernelExp *l, const KernelExp *t)
{
    const KernelExp *turns = lower_op(L, CORE_MUL, t, lower_number(L, KERNEL_GROUP_SIZE));
    return (InTile){l, t, lower_let(L, "number", lower_op(L, CORE_ADD, turns, l))};
}

/* Behind the neighbouring elements of each work-item one place is left out, so that they all are at different banks of
   the memory. */
static const KernelExp *place_in_tile(Lower *L, const KernelExp *number)
{
    const KernelExp *gaps =
        lower_let(L, "gaps", kernel_divide(L->c, number, lower_number(L, ROWS)));
    return lower_op(L, CORE_ADD, number, gaps);
}

/* The same place, as the sum of what neighbours and turns of the work-items add to it. */
static const KernelExp *own_place(Lower *L, InTile in)
{
    const KernelExp *places = lower_number(L, KERNEL_GROUP_SIZE + KERNEL_GROUP_SIZE / ROWS);
    const KernelExp *turns = lower_op(L, CORE_MUL, in.t, places);
    const KernelExp *lane = lower_let(L, "lane", place_in_tile(L, in.l));
    return lower_let(L, "at", lower_op(L, CORE_ADD, turns, lane));
}

static const KernelExp *row_of(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, sort->first, in.number));
    lower_is_row(row, sort->width);
    return row;
}

typedef void TileWork(Lower *L, const DigitSort *sort, InTile in);

static KernelBlock numbers(Lower *L, const DigitSort *sort, TileWork *work, const KernelExp *l,
                           unsigned written_out)
{
    LowerLoop block, loop;
    lower_block_begin(L, &block);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, ROWS));
    work(L, sort, in_tile(L, l, loop.index));
    loop.written_out = written_out;
    lower_loop_end(L, &loop);
    return lower_block_end(L, &block);
}

/* LOCAL l { its numbers, all at once in a full tile; `guarded` is the work where an element may not be there } */
static void each_number(Lower *L, const DigitSort *sort, TileWork *work, TileWork *guarded)
{
    LowerLoop local;
    lower_local_begin(L, sort->kernel, &local);
    KernelBlock full = numbers(L, sort, work, local.index, KERNEL_WRITE_OUT);
    if (guarded != NULL) {
        kernel_if(L->b, sort->is_full, full, numbers(L, sort, guarded, local.index, 0));
    } else {
        kernel_add_block(L->b, full);
    }
    lower_local_end(L, sort->kernel, &local);
}

/* if there is such an element { work } else { other; NULL: nothing } */
static void guard(Lower *L, const DigitSort *sort, InTile in, TileWork *work, TileWork *other)
{
    LowerLoop block;
    KernelBlock blocks[2] = {{0}, {0}};
    const KernelExp *inside = lower_op(L, CORE_LT, row_of(L, sort, in), sort->width);
    for (size_t k = 0; k < 2; k++) {
        lower_block_begin(L, &block);
        if (k == 0) {
            work(L, sort, in);
        } else if (other != NULL) {
            other(L, sort, in);
        }
        blocks[k] = lower_block_end(L, &block);
    }
    kernel_if(L->b, inside, blocks[0], blocks[1]);
}

/* ---- a tile's counts ---- */

static const KernelExp *narrow(Lower *L, int32_t value)
{
    return kernel_constant(L->c, core_int(CORE_I32, value));
}

/* Counts of a digit are side by side, one for each of COPIES neighbours. */
static const KernelExp *bin_of(Lower *L, const KernelExp *digit, const KernelExp *copy)
{
    return lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, digit, lower_number(L, COPIES)), copy);
}

static void count(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = read_element(L, sort, row_of(L, sort, in));
    const KernelExp *copy = kernel_modulo(L->c, in.l, lower_number(L, COPIES));
    kernel_atomic(L->b, CORE_ADD, sort->bins, bin_of(L, digit_of(L, sort, element), copy),
                  narrow(L, 1));
}

static void count_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, count, NULL);
}

static void count_tiles(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    LowerLoop local;
    begin_tile(L, sort, &kernel);
    sort->bins = local_buffer(L, "bins", CORE_I32, (int64_t)CORE_DIGITS * COPIES);
    lower_local_begin(L, &kernel, &local);
    for (int64_t copy = 0; copy < COPIES; copy++) {
        kernel_store(L->b, sort->bins, bin_of(L, local.index, lower_number(L, copy)), narrow(L, 0));
    }
    lower_local_end(L, &kernel, &local);
    kernel_barrier(L->b);
    each_number(L, sort, count, count_guarded);
    kernel_barrier(L->b);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *sum = narrow(L, 0);
    for (int64_t copy = 0; copy < COPIES; copy++) {
        const KernelExp *bin = bin_of(L, local.index, lower_number(L, copy));
        sum = kernel_binary(L->c, CORE_ADD, sum, kernel_load(L->c, sort->bins, bin));
    }
    const KernelExp *at = slot(L, sort, local.index, sort->part);
    lower_store_scalar(L, lower_row(L, sort->counts, 1, &at), kernel_convert(L->c, CORE_I64, sum));
    lower_local_end(L, &kernel, &local);
    end_kernel(L, sort, &kernel, "count");
}

/* ---- a tile in the order of digits ---- */

static void take(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = read_element(L, sort, row_of(L, sort, in));
    kernel_store(L->b, sort->tile, own_place(L, in), element);
}

/* It has the last digit, and stays behind those that are there. */
static void take_none(Lower *L, const DigitSort *sort, InTile in)
{
    kernel_store(L->b, sort->tile, own_place(L, in), lower_number(L, -1));
}

static void take_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, take, take_none);
}

/* The field of a word that counts elements like this one begins at this bit. */
static const KernelExp *field_of(Lower *L, const DigitSort *sort, const KernelExp *element,
                                 const KernelExp *shift)
{
    shift = lower_op(L, CORE_ADD, shift_of(L, sort), shift);
    const KernelExp *bits = lower_op(L, CORE_AND, lower_op(L, CORE_SHR, element, shift),
                                     lower_number(L, (1 << BITS) - 1));
    return lower_let(L, "field", lower_op(L, CORE_MUL, bits, lower_number(L, FIELD_BITS)));
}

static const KernelExp *one_in(Lower *L, const KernelExp *field)
{
    return lower_op(L, CORE_SHL, lower_number(L, 1), field);
}

/* Work-item l: takes its neighbouring elements, and leaves the word that they add up to. */
static void add_up(Lower *L, const DigitSort *sort, const KernelExp *l, const KernelExp *shift)
{
    LowerLoop loop;
    KernelVariable *word = kernel_variable(L->c, "word", CORE_I64, KERNEL_SCALAR, L->b->span);
    const KernelExp *sum = kernel_use(L->c, word);
    const KernelExp *first = lower_op(L, CORE_MUL, l, lower_number(L, ROWS + 1));
    kernel_declare(L->b, word, lower_number(L, 0));
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, ROWS));
    const KernelExp *at = lower_op(L, CORE_ADD, first, loop.index);
    const KernelExp *element = lower_let(L, "x", kernel_load(L->c, sort->tile, at));
    kernel_store(L->b, sort->own, loop.index, element);
    const KernelExp *one = one_in(L, field_of(L, sort, element, shift));
    kernel_assign(L->b, word, lower_op(L, CORE_ADD, sum, one));
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    kernel_store(L->b, sort->words.components[0].local, lower_lane(L, l, KERNEL_GROUP_SIZE), sum);
}

/* Where the first of each kind of work-item l goes: behind all of lesser kinds, and those of its kind of the work-items
   before. */
static const KernelExp *word_before(Lower *L, const DigitSort *sort, const KernelExp *l)
{
    KernelVariable *words = sort->words.components[0].local;
    const KernelExp *previous =
        lower_op(L, CORE_MAX, lower_op(L, CORE_SUB, l, lower_number(L, 1)), lower_number(L, 0));
    const KernelExp *before = kernel_load(L->c, words, lower_lane(L, previous, KERNEL_GROUP_SIZE));
    before = kernel_select(L->c, lower_op(L, CORE_GT, l, lower_number(L, 0)), before,
                           lower_number(L, 0));
    const KernelExp *last =
        lower_lane(L, lower_number(L, KERNEL_GROUP_SIZE - 1), KERNEL_GROUP_SIZE);
    const KernelExp *all = lower_let(L, "all", kernel_load(L->c, words, last));
    for (int64_t field = 1; field < 1 << BITS; field++) {
        const KernelExp *less = lower_op(L, CORE_SHL, all, lower_number(L, field * FIELD_BITS));
        before = lower_op(L, CORE_ADD, before, less);
    }
    return before;
}

/* Work-item l: its elements go where they belong. */
static void put_back(Lower *L, const DigitSort *sort, const KernelExp *l, const KernelExp *shift)
{
    LowerLoop loop;
    KernelVariable *word = kernel_variable(L->c, "word", CORE_I64, KERNEL_SCALAR, L->b->span);
    const KernelExp *sum = kernel_use(L->c, word);
    kernel_declare(L->b, word, word_before(L, sort, l));
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, ROWS));
    const KernelExp *element = lower_let(L, "x", kernel_load(L->c, sort->own, loop.index));
    const KernelExp *field = field_of(L, sort, element, shift);
    const KernelExp *number = lower_op(L, CORE_AND, lower_op(L, CORE_SHR, sum, field),
                                       lower_number(L, (1 << FIELD_BITS) - 1));
    kernel_store(L->b, sort->tile, place_in_tile(L, lower_let(L, "number", number)), element);
    kernel_assign(L->b, word, lower_op(L, CORE_ADD, sum, one_in(L, field)));
    loop.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &loop);
    kernel_mark_scattered(kernel_block(L->b), sort->tile);
}

/* By some bits of the digit after the other, the last ones first. */
static void sort_tile(Lower *L, const DigitSort *sort)
{
    LowerLoop passes, local;
    lower_loop_begin(L, &passes, FRAME_MAP, "pass", lower_number(L, CORE_DIGIT_BITS / BITS));
    const KernelExp *shift = lower_op(L, CORE_MUL, passes.index, lower_number(L, BITS));
    lower_local_begin(L, sort->kernel, &local);
    add_up(L, sort, local.index, shift);
    lower_local_end(L, sort->kernel, &local);
    lower_scan_local(L, sort->kernel, &sort->words);
    kernel_barrier(L->b);
    lower_local_begin(L, sort->kernel, &local);
    put_back(L, sort, local.index, shift);
    lower_local_end(L, sort->kernel, &local);
    kernel_barrier(L->b);
    lower_loop_end(L, &passes);
}

/* Work-item l: where elements with digit l go. */
static void find_starts(Lower *L, const DigitSort *sort)
{
    LowerLoop local;
    lower_local_begin(L, sort->kernel, &local);
    kernel_store(L->b, sort->starts, local.index, start_of(L, sort, local.index, sort->part));
    lower_local_end(L, sort->kernel, &local);
}

/* Where elements of each digit begin in the tile. */
static void find_first(Lower *L, const DigitSort *sort, InTile in)
{
    LowerLoop block;
    const KernelExp *none = lower_number(L, 0);
    const KernelExp *previous =
        lower_op(L, CORE_MAX, lower_op(L, CORE_SUB, in.number, lower_number(L, 1)), none);
    const KernelExp *element = kernel_load(L->c, sort->tile, own_place(L, in));
    const KernelExp *digit = lower_let(L, "digit", digit_of(L, sort, element));
    element = kernel_load(L->c, sort->tile, place_in_tile(L, lower_let(L, "previous", previous)));
    const KernelExp *other = lower_op(L, CORE_NE, digit, digit_of(L, sort, element));
    lower_block_begin(L, &block);
    kernel_store(L->b, sort->firsts, digit, kernel_convert(L->c, CORE_I32, in.number));
    KernelBlock first = lower_block_end(L, &block);
    kernel_mark_scattered(first, sort->firsts);
    kernel_if(L->b, kernel_binary(L->c, CORE_OR, lower_op(L, CORE_EQ, in.number, none), other),
              first, (KernelBlock){0});
}

static void move(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = lower_let(L, "x", kernel_load(L->c, sort->tile, own_place(L, in)));
    const KernelExp *digit = lower_let(L, "digit", digit_of(L, sort, element));
    const KernelExp *first = kernel_convert(L->c, CORE_I64, kernel_load(L->c, sort->firsts, digit));
    const KernelExp *at = lower_op(L, CORE_ADD, kernel_load(L->c, sort->starts, digit),
                                   lower_op(L, CORE_SUB, in.number, first));
    at = lower_let(L, "at", at);
    store_element(L, sort, at, element);
    kernel_mark_scattered(kernel_block(L->b), sort->place->buffer);
}

/* Elements that are not there come last. */
static void move_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, move, NULL);
}

/* let words = scan + 0, of one each work-item */
static const CoreStm *scan_of_words(Compilation *c, Span span)
{
    CoreBuilder b = core_builder(c, span);
    CoreAtom width = core_i64(KERNEL_GROUP_SIZE), zero = core_i64(0);
    CoreAtom words = core_let_iota(&b, "words", width);
    const CoreLambda *sum = core_operator_lambda(c, CORE_ADD, CORE_I64, span);
    core_let(&b, "words", core_atom_type(words), core_exp_scan(c, width, 1, &words, sum, &zero));
    return b.stms.items[b.stms.count - 1];
}

/* A tile's kernel, with its elements in local memory. */
static void begin_sorted_tile(Lower *L, DigitSort *sort, LowerKernel *kernel)
{
    const bool stored[1] = {false};
    const CoreStm *scan = scan_of_words(L->c, sort->stm->span);
    begin_tile(L, sort, kernel);
    sort->words = (GroupScan){.stm = scan,
                              .soac = &scan->exp->as.soac,
                              .width = lower_number(L, KERNEL_GROUP_SIZE),
                              .written_out = KERNEL_WRITE_OUT};
    lower_scan_components(L, &sort->words, stored);
    lower_scan_declare(L, &sort->words, KERNEL_GROUP_SIZE);
    sort->tile = local_buffer(L, "tile", CORE_I64, TILE + KERNEL_GROUP_SIZE);
    sort->own = kernel_variable(L->c, "own", CORE_I64, KERNEL_PRIVATE, L->b->span);
    kernel_declare_buffer(L->b, sort->own, ROWS);
    each_number(L, sort, take, take_guarded);
    kernel_barrier(L->b);
    sort_tile(L, sort);
}

static void move_tiles(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    begin_sorted_tile(L, sort, &kernel);
    sort->starts = local_buffer(L, "starts", CORE_I64, CORE_DIGITS);
    sort->firsts = local_buffer(L, "firsts", CORE_I32, CORE_DIGITS);
    find_starts(L, sort);
    each_number(L, sort, find_first, NULL);
    kernel_barrier(L->b);
    each_number(L, sort, move, move_guarded);
    end_kernel(L, sort, &kernel, "sort");
}

static void put(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = lower_let(L, "x", kernel_load(L->c, sort->tile, own_place(L, in)));
    store_element(L, sort, row_of(L, sort, in), element);
}

static void put_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, put, NULL);
}

/* A row is a tile. */
static void sort_rows_in_tiles(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    begin_sorted_tile(L, sort, &kernel);
    each_number(L, sort, put, put_guarded);
    end_kernel(L, sort, &kernel, "sort");
}

/* ---- the choice ------------------------------------------------------------------------------ */

typedef void Kernel(Lower *L, DigitSort *sort);

/* if work-items work in lanes { this kernel } else { that one } */
static void either(Lower *L, DigitSort *sort, const KernelExp *in_lanes, Kernel *tiles,
                   Kernel *shares)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    tiles(L, sort);
    KernelBlock first = lower_block_end(L, &block);
    lower_block_begin(L, &block);
    shares(L, sort);
    kernel_if(block.outer, in_lanes, first, lower_block_end(L, &block));
}

/* Each row by itself. */
static void sort_whole_rows(Lower *L, const DigitSort *sort, const KernelExp *in_lanes)
{
    DigitSort whole = *sort;
    whole.parts = lower_number(L, 1);
    whole.share = sort->width;
    either(L, &whole, in_lanes, sort_rows_in_tiles, sort_rows_alone);
}

static void sort_by_counts(Lower *L, DigitSort *sort, const KernelExp *in_lanes)
{
    begin_counts(L, sort);
    either(L, sort, in_lanes, count_tiles, count_shares);
    for (size_t i = 0; i < sort->sum->stm_count; i++) {
        lower_statement(L, sort->sum->stms[i]);
    }
    sort->sums = lower_array(L, sort->sum->results[0]);
    either(L, sort, in_lanes, move_tiles, move_shares);
    lower_forget(L, sort->sum->results[0].name);
}

static void sort_in_parts(Lower *L, DigitSort *sort)
{
    const KernelExp *lanes = lower_device(L, CORE_DEVICE_LANES, CORE_I64);
    const KernelExp *in_lanes =
        lower_let(L, "in_lanes", lower_op(L, CORE_GT, lanes, lower_number(L, 1)));
    const KernelExp *tiles = lower_ceiling(L, sort->width, lower_number(L, TILE));
    sort->parts =
        lower_let(L, "parts", kernel_select(L->c, in_lanes, tiles, count_of_shares(L, sort)));
    const KernelExp *divisor = lower_op(L, CORE_MAX, sort->parts, lower_number(L, 1));
    sort->share = lower_let(L, "share", lower_ceiling(L, sort->width, divisor));
    if (!sort->rows) {
        sort_by_counts(L, sort, in_lanes);
        return;
    }
    LowerLoop block;
    const KernelExp *are_whole = lower_op(L, CORE_LE, sort->parts, lower_number(L, 1));
    lower_block_begin(L, &block);
    sort_whole_rows(L, sort, in_lanes);
    KernelBlock whole = lower_block_end(L, &block);
    lower_block_begin(L, &block);
    sort_by_counts(L, sort, in_lanes);
    kernel_if(block.outer, are_whole, whole, lower_block_end(L, &block));
}

void lower_digit_sort(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreType type = stm->pattern[0]->type;
    DigitSort sort = {.stm = stm,
                      .text = stm->pattern[0]->text,
                      .rows = type.rank > 1 ? lower_scalar(L, type.sizes[0]) : NULL,
                      .width = lower_scalar(L, type.sizes[type.rank - 1]),
                      .digit = lower_scalar(L, exp->as.digit_sort.digit),
                      .array = lower_array(L, exp->as.digit_sort.array),
                      .place = lower_place(L, stm->pattern[0])};
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    if (!on_host) {
        sort_alone(L, &sort);
    } else {
        sort_in_parts(L, &sort);
    }
    lower_bind_array(L, stm->pattern[0], sort.place);
}
