/* A pass of a radix sort: digit_sort d xs puts xs in the order of their bytes number d; of equal ones elements keep
   theirs. It is a counting sort: parts of the elements count digits, a scan of the counts, digit by digit and for each of
   them part by part, says where those of each begin, and each part moves its elements there.

       counts[d * parts + p] = how many elements of part p have digit d
       starts = scan + 0 (map (\i -> i > 0 ? counts[i - 1] : 0) (iota (256 * parts)))
       each part: out[starts[d * parts + p] + how many with digit d come before it in the part] = x

   Sequentially the part is all elements, and on processors a contiguous share, a work-item each; where the next
   element of each digit goes is kept:

       for each element x { d = digit(x); out[next[d]] = x; next[d] = next[d] + 1 }

   On devices whose work-items work in lanes a part is a tile of a group (digit_tiles.c).

   Of a matrix each row is sorted: it has parts of its own, whose counts stand behind those of the row before. Where a row is
   one part there is nothing to count: it is a tile, or a work-item's. */
#include "backend/lower/digit_sort.h"

enum { LEAST_SHARE = 4096 }; /* elements of a share, but the last */

/* The digit's first bit. */
const KernelExp *digit_shift_of(Lower *L, const DigitSort *sort)
{
    if (sort->digit->kind == KERNEL_CONSTANT) {
        return lower_number(L, (sort->digit->as.constant.as.integer & (CORE_I64_DIGITS - 1)) *
                                   CORE_DIGIT_BITS);
    }
    return lower_op(L, CORE_MUL,
                    lower_op(L, CORE_AND, sort->digit, lower_number(L, CORE_I64_DIGITS - 1)),
                    lower_number(L, CORE_DIGIT_BITS));
}

const KernelExp *digit_of(Lower *L, const DigitSort *sort, const KernelExp *element)
{
    return lower_op(L, CORE_AND, lower_op(L, CORE_SHR, element, digit_shift_of(L, sort)),
                    lower_number(L, CORE_DIGITS - 1));
}

const KernelExp *digit_read(Lower *L, const DigitSort *sort, const KernelExp *i)
{
    const KernelExp *at[2] = {sort->row, i};
    return lower_let(L, "x", lower_read(L, sort->array, sort->rows ? at : &i));
}

void digit_store(Lower *L, const DigitSort *sort, const KernelExp *i, const KernelExp *element)
{
    const KernelExp *at[2] = {sort->row, i};
    lower_store_scalar(L, lower_row(L, sort->place, sort->rows ? 2 : 1, sort->rows ? at : &i),
                       element);
}

/* Digit d of the part of the row. */
const KernelExp *digit_slot(Lower *L, const DigitSort *sort, const KernelExp *digit,
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
const KernelExp *digit_start_of(Lower *L, const DigitSort *sort, const KernelExp *digit,
                                const KernelExp *part)
{
    const KernelExp *at = digit_slot(L, sort, digit, part);
    const KernelExp *start = lower_read(L, sort->sums, &at);
    return sort->rows ? lower_op(L, CORE_SUB, start, lower_op(L, CORE_MUL, sort->row, sort->width))
                      : start;
}

/* Which part of which row the kernel's row is. */
const KernelExp *digit_find_part(Lower *L, DigitSort *sort, const LowerKernel *kernel)
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
    loop->written_out =
        KERNEL_ONE_BY_ONE; /* written out, NVIDIA's compiler takes a second and more */
}

/* The digit of element t of these. */
static const KernelExp *begin_rows(Lower *L, const DigitSort *sort, const Rows *rows,
                                   LowerLoop *loop, const KernelExp **element)
{
    lower_loop_begin(L, loop, FRAME_MAP, "t", rows->count);
    const KernelExp *row = lower_let(L, "i", lower_op(L, CORE_ADD, rows->first, loop->index));
    lower_is_row(row, sort->width);
    *element = digit_read(L, sort, row);
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
    digit_store(L, sort, at, element);
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

void digit_end_kernel(Lower *L, const DigitSort *sort, LowerKernel *kernel, const char *kind)
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
    sort->part = digit_find_part(L, sort, kernel);
    return share_of(L, sort, sort->part);
}

static void end_share(Lower *L, const DigitSort *sort, LowerKernel *kernel, LowerLoop *local,
                      const char *kind)
{
    lower_local_end(L, kernel, local);
    digit_end_kernel(L, sort, kernel, kind);
}

static void count_shares(Lower *L, DigitSort *sort)
{
    LowerKernel kernel;
    LowerLoop local, loop;
    Rows rows = begin_share(L, sort, &kernel, &local);
    count_rows(L, sort, &rows);
    begin_digits(L, &loop);
    const KernelExp *at = digit_slot(L, sort, loop.index, sort->part);
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
    kernel_store(L->b, rows.next, loop.index, digit_start_of(L, sort, loop.index, sort->part));
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
    either(L, &whole, in_lanes, digit_sort_rows_in_tiles, sort_rows_alone);
}

static void sort_by_counts(Lower *L, DigitSort *sort, const KernelExp *in_lanes)
{
    begin_counts(L, sort);
    either(L, sort, in_lanes, digit_count_tiles, count_shares);
    for (size_t i = 0; i < sort->sum->stm_count; i++) {
        lower_statement(L, sort->sum->stms[i]);
    }
    sort->sums = lower_array(L, sort->sum->results[0]);
    either(L, sort, in_lanes, digit_move_tiles, move_shares);
    lower_forget(L, sort->sum->results[0].name);
}

static void sort_in_parts(Lower *L, DigitSort *sort)
{
    const KernelExp *lanes = lower_device(L, CORE_DEVICE_LANES, CORE_I64);
    const KernelExp *in_lanes =
        lower_let(L, "in_lanes", lower_op(L, CORE_GT, lanes, lower_number(L, 1)));
    const KernelExp *tiles = lower_ceiling(L, sort->width, lower_number(L, DIGIT_TILE));
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
