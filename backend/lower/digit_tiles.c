/* A pass of a radix sort (digit_sort.c) on devices whose work-items work in lanes.

   A part is a tile of a group, which is sorted in local memory first, so that
   elements with one digit are neighbours when they are stored. By two bits after the other: each work-item adds up those
   of its neighbouring elements, in four fields of a word, and a scan of the words says where they go:

       SEQ s < 4 { each work-item: word = sum over its elements of 1 << 16 * (bits 2s and 2s + 1 of the digit)
                   scan + words
                   each work-item: tile[place by the word] = x, and the word counts it }
       out[starts[d * parts + p] - the first i with digit d + i] = tile[i] */
#include "backend/lower/digit_sort.h"

enum {
    BITS = 2,        /* of a digit that are sorted by at once */
    FIELD_BITS = 16, /* of a word: counts up to a tile's elements */
    COPIES = 4       /* of a group's counts: neighbours do not add to the same one */
};
_Static_assert((int)CORE_DIGITS == (int)KERNEL_GROUP_SIZE, "a work-item a digit");

static void begin_tile(Lower *L, DigitSort *sort, LowerKernel *kernel)
{
    lower_kernel_begin(L, kernel, true);
    sort->kernel = kernel;
    sort->part = digit_find_part(L, sort, kernel);
    sort->first =
        lower_let(L, "first", lower_op(L, CORE_MUL, sort->part, lower_number(L, DIGIT_TILE)));
    const KernelExp *end = lower_op(L, CORE_ADD, sort->first, lower_number(L, DIGIT_TILE));
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
        lower_let(L, "gaps", kernel_divide(L->c, number, lower_number(L, DIGIT_ROWS)));
    return lower_op(L, CORE_ADD, number, gaps);
}

/* The same place, as the sum of what neighbours and turns of the work-items add to it. */
static const KernelExp *own_place(Lower *L, InTile in)
{
    const KernelExp *places = lower_number(L, KERNEL_GROUP_SIZE + KERNEL_GROUP_SIZE / DIGIT_ROWS);
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
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, DIGIT_ROWS));
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
    const KernelExp *element = digit_read(L, sort, row_of(L, sort, in));
    const KernelExp *copy = kernel_modulo(L->c, in.l, lower_number(L, COPIES));
    kernel_atomic(L->b, CORE_ADD, sort->bins, bin_of(L, digit_of(L, sort, element), copy),
                  narrow(L, 1));
}

static void count_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, count, NULL);
}

void digit_count_tiles(Lower *L, DigitSort *sort)
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
    const KernelExp *at = digit_slot(L, sort, local.index, sort->part);
    lower_store_scalar(L, lower_row(L, sort->counts, 1, &at), kernel_convert(L->c, CORE_I64, sum));
    lower_local_end(L, &kernel, &local);
    digit_end_kernel(L, sort, &kernel, "count");
}

/* ---- a tile in the order of digits ---- */

static void take(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = digit_read(L, sort, row_of(L, sort, in));
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
    shift = lower_op(L, CORE_ADD, digit_shift_of(L, sort), shift);
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
    const KernelExp *first = lower_op(L, CORE_MUL, l, lower_number(L, DIGIT_ROWS + 1));
    kernel_declare(L->b, word, lower_number(L, 0));
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, DIGIT_ROWS));
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
    lower_loop_begin(L, &loop, FRAME_MAP, "t", lower_number(L, DIGIT_ROWS));
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
    kernel_store(L->b, sort->starts, local.index, digit_start_of(L, sort, local.index, sort->part));
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
    digit_store(L, sort, at, element);
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
    sort->tile = local_buffer(L, "tile", CORE_I64, DIGIT_TILE + KERNEL_GROUP_SIZE);
    sort->own = kernel_variable(L->c, "own", CORE_I64, KERNEL_PRIVATE, L->b->span);
    kernel_declare_buffer(L->b, sort->own, DIGIT_ROWS);
    each_number(L, sort, take, take_guarded);
    kernel_barrier(L->b);
    sort_tile(L, sort);
}

void digit_move_tiles(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    begin_sorted_tile(L, sort, &kernel);
    sort->starts = local_buffer(L, "starts", CORE_I64, CORE_DIGITS);
    sort->firsts = local_buffer(L, "firsts", CORE_I32, CORE_DIGITS);
    find_starts(L, sort);
    each_number(L, sort, find_first, NULL);
    kernel_barrier(L->b);
    each_number(L, sort, move, move_guarded);
    digit_end_kernel(L, sort, &kernel, "sort");
}

static void put(Lower *L, const DigitSort *sort, InTile in)
{
    const KernelExp *element = lower_let(L, "x", kernel_load(L->c, sort->tile, own_place(L, in)));
    digit_store(L, sort, row_of(L, sort, in), element);
}

static void put_guarded(Lower *L, const DigitSort *sort, InTile in)
{
    guard(L, sort, in, put, NULL);
}

/* A row is a tile. */
void digit_sort_rows_in_tiles(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    begin_sorted_tile(L, sort, &kernel);
    each_number(L, sort, put, put_guarded);
    digit_end_kernel(L, sort, &kernel, "sort");
}
