/* Histograms: hist d is vs op e is, for each i with is[i] inside d, d[is[i]] = d[is[i]] op vs[i],
   in d's own memory. The operator is associative and commutative, so that the order is free.

       atomically         GRID i < n { atomic d[is[i]] op= vs[i] }             the device has it
       by groups          GROUP g { local s[copies * bins] = e ...
                                    i: atomic s[l % copies][is[i]] op= vs[i]
                                    b: atomic d[b] op= s[0][b] op s[1][b] ... }
                          scalars, each with an operator that is atomic; few bins
       by retrying        GRID i < n { retry x = d[is[i]] { y = x op vs[i] } d[is[i]] = y }
                          one scalar of 32 or 64 bits, any operator
       by sub-histograms  GRID w < items { sub[w] = e ...; SEQ over this item's rows }
                          GRID b < bins { d[b] = d[b] op sub[0][b] op sub[1][b] ... }
       by lists           GRID i < n { next[i] = exchange first[is[i]], i }
                          GRID b < bins { SEQ along b's list { d[b] = d[b] op vs[i] } }

       by shares          GROUP g { s[g] = e ...
                                    SEQ over a share of the rows: s[g][is[i]] = s[g][is[i]] op vs[i] }
                          GROUP g { SEQ over a share of the bins: d[b] = d[b] op s[0][b] op s[1][b] ... }
                          scalars, on a processor, whose groups are one work-item each; one group
                          alone counts into d

   Groups and sub-histograms serve few bins, where work-items would get into each other's way; sub-histograms
   cost bins times items. Atomics, retrying and lists serve many. Which of them runs is decided by the sizes, at
   run time. Tuples and rows of any rank work in the last two. Sequentially, and within a work-item, it is a
   loop. */
#include "backend/lower/processor.h"

/* Rows that a work-item with a sub-histogram has at least; how many such work-items there are at
   least (where there are rows for them) and at most. */
enum { LEAST_ROWS = 32, LEAST_ITEMS = 256, MOST_ITEMS = 2048 };

/* By groups: bins that a group has in local memory at most, in several copies where there are fewer; rows that a group has at
   least, and how many groups there are at most. */
enum { LOCAL_BINS = 2048, MOST_COPIES = 32, ROWS_OF_GROUP = 2048, MOST_GROUPS = 1024 };

/* By shares: rows for which a group of a processor is worth its launch. */
enum { LEAST_SHARE = 8192 };

typedef struct Hist {
    const CoreStm *stm;
    Targets targets;
    const char *text;
    const KernelExp *width, *bins; /* host scalars */
    const CoreOperator *atomic;    /* one for each destination */
    const Reader **subs;           /* one histogram a work-item */
    const KernelExp *items, *rows; /* of sub-histograms: work-items, and rows of each */
    const Reader *first, *next;    /* of lists */
    KernelVariable **local;        /* of groups: the copies, for each destination */
    int64_t room;                  /* of groups: bins of each destination in local memory */
    const KernelExp *copies;
} Hist;

/* ---- one row --------------------------------------------------------------------------------- */

/* bins[at] = bins[at] op values[from], for all destinations; values NULL: the row's at work. */
static void combine_row(Lower *L, const Targets *targets, const Reader *const *bins,
                        const KernelExp *at, const Reader *const *values, const KernelExp *from)
{
    size_t count = targets->count;
    Value *arguments = ARENA_ARRAY(L->c->arena, Value, 2 * count + 1);
    Value *results = ARENA_ARRAY(L->c->arena, Value, count + 1);
    const Reader **fresh = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        arguments[k] = lower_row_value(L, bins[k], at);
        arguments[count + k] = values != NULL ? lower_row_value(L, values[k], from)
                                              : lower_target_value(L, targets, k, from);
        if (arguments[k].array != NULL) {
            const Reader *row = arguments[k].array;
            fresh[k] = lower_allocate(L, "next", row->prim, row->rank, row->shape);
        }
    }
    lower_apply(L, targets->exp->as.scatter.op, arguments, fresh, results);
    for (size_t k = 0; k < count; k++) {
        if (fresh[k] != NULL) {
            results[k].array = fresh[k];
        }
        lower_assign(L, lower_row(L, bins[k], 1, &at), results[k], "hist");
    }
}

/* The row with this number goes into its bin, if it has one. */
static void hist_row(Lower *L, const Targets *targets, const Reader *const *bins,
                     const KernelExp *index)
{
    LowerLoop block;
    const KernelExp *at = lower_target_row(L, targets, index);
    lower_block_begin(L, &block);
    combine_row(L, targets, bins, at, NULL, index);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_is_inside(L, targets, at), store, (KernelBlock){0});
}

static void hist_loop(Lower *L, void *context)
{
    Hist *hist = context;
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", hist->width);
    hist_row(L, &hist->targets, hist->targets.targets, loop.index);
    lower_loop_end(L, &loop);
}

/* What can always be done. */
static void hist_alone(Lower *L, Hist *hist)
{
    lower_refuse_level(L, hist->stm, "cannot be kept: the operator does not make a kernel");
    if (!lower_single_item(L, "hist", hist->text, hist_loop, hist)) {
        hist_loop(L, hist);
    }
}

/* ---- atomically ------------------------------------------------------------------------------ */

/* Scalars, each with an operator of its own that commutes: \(x, y) -> x op y, \(u, x, v, y) -> (u op v, x op y). */
static const CoreOperator *atomic_operators(Lower *L, const CoreExp *exp)
{
    size_t count = exp->as.scatter.count;
    const CoreLambda *lambda = exp->as.scatter.op;
    CoreOperator *operators = ARENA_ARRAY(L->c->arena, CoreOperator, count + 1);
    bool atomic = true;
    for (size_t k = 0; k < count && atomic; k++) {
        CoreOperator *which = &operators[k];
        atomic =
            lambda->result_types[k].rank == 0 && core_operator_of(lambda, k, which) &&
            (*which == CORE_ADD || *which == CORE_MUL || *which == CORE_MIN || *which == CORE_MAX ||
             *which == CORE_AND || *which == CORE_OR || *which == CORE_XOR);
    }
    return atomic ? operators : NULL;
}

/* The row with this number goes into its bin, if it has one: of the result, or of work-item l's copy. */
static void count_row(Lower *L, const Hist *hist, const KernelExp *l, const KernelExp *index)
{
    LowerLoop block;
    const KernelExp *at = lower_target_row(L, &hist->targets, index), *place = NULL;
    lower_block_begin(L, &block);
    if (l != NULL) {
        const KernelExp *copy = kernel_modulo(L->c, l, hist->copies);
        place = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, copy, hist->bins), at);
    }
    const Span outer = L->b->span;
    for (size_t k = 0; k < hist->targets.count; k++) {
        const Reader *bin = l == NULL ? lower_row(L, hist->targets.targets[k], 1, &at) : NULL;
        L->b->span = hist->targets.exp->as.scatter.op->body->stms[k]->span;
        kernel_atomic(L->b, hist->atomic[k], bin ? bin->buffer : hist->local[k],
                      bin ? bin->offset : place,
                      lower_target_value(L, &hist->targets, k, index).scalar);
    }
    L->b->span = outer;
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_is_inside(L, &hist->targets, at), store, (KernelBlock){0});
}

static void atomic_row(Lower *L, void *context, const KernelExp *index)
{
    count_row(L, context, NULL, index);
}

/* ---- by groups ------------------------------------------------------------------------------- */

typedef void (*GroupWork)(Lower *L, const Hist *hist, const KernelExp *l, const KernelExp *index);

/* The `count` indices, shared out to the work-items of the group, or of all of them. */
static void share(Lower *L, LowerKernel *kernel, const Hist *hist, GroupWork work,
                  const KernelExp *count, const KernelExp *groups)
{
    LowerLoop local, loop;
    const KernelExp *size = lower_number(L, KERNEL_GROUP_SIZE);
    lower_local_begin(L, kernel, &local);
    const KernelExp *item = local.index, *items = size;
    if (groups != NULL) {
        const KernelExp *first = lower_op(L, CORE_MUL, kernel_use(L->c, kernel->index), size);
        item = lower_let(L, "item", lower_op(L, CORE_ADD, first, local.index));
        items = lower_op(L, CORE_MUL, groups, size);
    }
    RowsOfItem rows = lower_rows_of_item(L, item, items, count, false);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", rows.count);
    const KernelExp *step = lower_op(L, CORE_MUL, loop.index, rows.step);
    work(L, hist, local.index, lower_let(L, "i", lower_op(L, CORE_ADD, rows.first, step)));
    lower_loop_end(L, &loop);
    lower_local_end(L, kernel, &local);
}

static const KernelExp *neutral_of(Lower *L, const Hist *hist, size_t k)
{
    return lower_scalar(L, hist->targets.exp->as.scatter.neutral[k]);
}

static void clear_bin(Lower *L, const Hist *hist, const KernelExp *l, const KernelExp *index)
{
    (void)l;
    for (size_t k = 0; k < hist->targets.count; k++) {
        kernel_store(L->b, hist->local[k], index, neutral_of(L, hist, k));
    }
}

/* The group's sum goes into the result's bin. */
static void add_sum(Lower *L, const Hist *hist, size_t k, const KernelExp *index,
                    const KernelExp *sum)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    const Reader *place = lower_row(L, hist->targets.targets[k], 1, &index);
    kernel_atomic(L->b, hist->atomic[k], place->buffer, place->offset, sum);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, kernel_binary(L->c, CORE_NE, sum, neutral_of(L, hist, k)), store,
              (KernelBlock){0});
}

static void add_bin_of(Lower *L, const Hist *hist, size_t k, const KernelExp *index)
{
    LowerLoop loop;
    const Reader *target = hist->targets.targets[k];
    KernelVariable *total = kernel_variable(L->c, "total", target->prim, KERNEL_SCALAR, L->b->span);
    const KernelExp *sum = kernel_use(L->c, total);
    kernel_declare(L->b, total, neutral_of(L, hist, k));
    lower_loop_begin(L, &loop, FRAME_MAP, "copy", hist->copies);
    const KernelExp *copy = lower_op(L, CORE_MUL, loop.index, hist->bins);
    const KernelExp *part = kernel_load(L->c, hist->local[k], lower_op(L, CORE_ADD, copy, index));
    kernel_assign(L->b, total, kernel_binary(L->c, hist->atomic[k], sum, part));
    lower_loop_end(L, &loop);
    add_sum(L, hist, k, index, sum);
}

static void add_bin(Lower *L, const Hist *hist, const KernelExp *l, const KernelExp *index)
{
    (void)l;
    for (size_t k = 0; k < hist->targets.count; k++) {
        add_bin_of(L, hist, k, index);
    }
}

/* The bins of a group, for each destination. */
static KernelVariable **local_bins(Lower *L, const Hist *hist)
{
    KernelVariable **bins = ARENA_ARRAY(L->c->arena, KernelVariable *, hist->targets.count + 1);
    for (size_t k = 0; k < hist->targets.count; k++) {
        bins[k] =
            kernel_variable(L->c, "bins", hist->targets.targets[k]->prim, KERNEL_LOCAL, L->b->span);
    }
    return bins;
}

static bool hist_by_groups(Lower *L, Hist *hist)
{
    const KernelExp *one = lower_number(L, 1), *most = lower_number(L, MOST_COPIES);
    const KernelExp *fit =
        kernel_divide(L->c, lower_number(L, hist->room), lower_op(L, CORE_MAX, hist->bins, one));
    hist->copies =
        lower_let(L, "copies", lower_op(L, CORE_MAX, lower_op(L, CORE_MIN, fit, most), one));
    const KernelExp *all = lower_let(L, "all", lower_op(L, CORE_MUL, hist->copies, hist->bins));
    const KernelExp *groups = kernel_divide(L->c, hist->width, lower_number(L, ROWS_OF_GROUP));
    groups = lower_op(L, CORE_MIN, groups, lower_number(L, MOST_GROUPS));
    groups = lower_let(L, "groups", lower_op(L, CORE_MAX, groups, one));
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    hist->local = local_bins(L, hist);
    for (size_t k = 0; k < hist->targets.count; k++) {
        kernel_declare_buffer(L->b, hist->local[k], hist->room);
    }
    share(L, &kernel, hist, clear_bin, all, NULL);
    kernel_barrier(L->b);
    share(L, &kernel, hist, count_row, hist->width, groups);
    kernel_barrier(L->b);
    share(L, &kernel, hist, add_bin, hist->bins, NULL);
    return lower_kernel_end(L, &kernel, "hist", hist->text, groups);
}

static bool are_scalars(const CoreExp *exp)
{
    bool good = true;
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        good = good && exp->as.scatter.op->result_types[k].rank == 0;
    }
    return good;
}

/* Scalars that a device can compare and exchange. */
static bool are_exchangeable(const CoreExp *exp)
{
    bool good = are_scalars(exp);
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        CorePrim prim = exp->as.scatter.op->result_types[k].prim;
        good = good && prim != CORE_BOOL && prim != CORE_CERT;
    }
    return good;
}

static void retry_row(Lower *L, const Hist *hist, const KernelExp *index)
{
    const Targets *targets = &hist->targets;
    LowerLoop block, again;
    const KernelExp *at = lower_target_row(L, targets, index);
    lower_block_begin(L, &block);
    const Reader *place = lower_row(L, targets->targets[0], 1, &at);
    KernelVariable *old = kernel_variable(L->c, "old", place->prim, KERNEL_SCALAR, L->b->span);
    Value arguments[2] = {{.scalar = kernel_use(L->c, old)},
                          lower_target_value(L, targets, 0, index)};
    Value result;
    lower_block_begin(L, &again);
    lower_apply(L, targets->exp->as.scatter.op, arguments, NULL, &result);
    KernelBlock body = lower_block_end(L, &again);
    kernel_retry(L->b, old, place->buffer, place->offset, body, result.scalar);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_is_inside(L, targets, at), store, (KernelBlock){0});
}

static bool hist_by_retrying(Lower *L, Hist *hist)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    retry_row(L, hist, kernel_use(L->c, kernel.index));
    return lower_kernel_end(L, &kernel, "hist", hist->text, hist->width);
}

/* ---- by sub-histograms ----------------------------------------------------------------------- */

/* sub[w] = e; then so many rows. */
static void fill_subs(Lower *L, const Hist *hist, const KernelExp *item, const KernelExp *first,
                      const KernelExp *count)
{
    const Targets *targets = &hist->targets;
    const Reader **own = ARENA_ARRAY(L->c->arena, const Reader *, targets->count + 1);
    LowerLoop loop;
    for (size_t k = 0; k < targets->count; k++) {
        own[k] = lower_row(L, hist->subs[k], 1, &item);
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "b", hist->bins);
    for (size_t k = 0; k < targets->count; k++) {
        lower_assign(L, lower_row(L, own[k], 1, &loop.index),
                     lower_value(L, targets->exp->as.scatter.neutral[k]), "hist");
    }
    lower_loop_end(L, &loop);
    lower_loop_begin(L, &loop, FRAME_MAP, "t", count);
    hist_row(L, targets, own, lower_let(L, "i", lower_op(L, CORE_ADD, first, loop.index)));
    lower_loop_end(L, &loop);
}

/* The same of a work-item's rows. */
static void fill_item(Lower *L, const Hist *hist, const KernelExp *item)
{
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, item, hist->rows));
    const KernelExp *left = lower_op(L, CORE_SUB, hist->width, first);
    fill_subs(L, hist, item, first, lower_let(L, "count", lower_op(L, CORE_MIN, hist->rows, left)));
}

/* d[b] = d[b] op sub[0][b] op sub[1][b] ... */
static void join_subs(Lower *L, const Hist *hist, const KernelExp *bin)
{
    const Targets *targets = &hist->targets;
    const Reader **column = ARENA_ARRAY(L->c->arena, const Reader *, targets->count + 1);
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "w", hist->items);
    for (size_t k = 0; k < targets->count; k++) {
        column[k] = lower_row(L, hist->subs[k], 1, &loop.index);
    }
    combine_row(L, targets, targets->targets, bin, column, bin);
    lower_loop_end(L, &loop);
}

static bool hist_by_subs(Lower *L, Hist *hist)
{
    const Targets *targets = &hist->targets;
    const KernelExp *share =
        kernel_divide(L->c, lower_op(L, CORE_ADD, hist->width, lower_number(L, MOST_ITEMS - 1)),
                      lower_number(L, MOST_ITEMS));
    share = lower_op(L, CORE_MAX, share,
                     lower_op(L, CORE_MAX, hist->bins, lower_number(L, LEAST_ROWS)));
    hist->rows = lower_let(L, "rows", share);
    const KernelExp *more =
        lower_op(L, CORE_ADD, hist->width, lower_op(L, CORE_SUB, hist->rows, lower_number(L, 1)));
    hist->items = lower_let(L, "items", kernel_divide(L->c, more, hist->rows));
    hist->subs = ARENA_ARRAY(L->c->arena, const Reader *, targets->count + 1);
    for (size_t k = 0; k < targets->count; k++) {
        const Reader *target = targets->targets[k];
        hist->subs[k] = lower_allocate_transposed(L, "sub", hist->items, target->prim, target->rank,
                                                  target->shape);
    }
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    fill_item(L, hist, kernel_use(L->c, kernel.index));
    if (!lower_kernel_end(L, &kernel, "hist", hist->text, hist->items)) {
        return false;
    }
    lower_kernel_begin(L, &kernel, false);
    join_subs(L, hist, kernel_use(L->c, kernel.index));
    if (!lower_kernel_end(L, &kernel, "hist_join", hist->text, hist->bins)) {
        internal_error(L->c, "an operator is a kernel once and not again");
    }
    return true;
}

/* ---- by lists -------------------------------------------------------------------------------- */

static void no_list(Lower *L, void *context, const KernelExp *bin)
{
    const Hist *hist = context;
    lower_store_scalar(L, lower_row(L, hist->first, 1, &bin), lower_number(L, -1));
}

static void into_list(Lower *L, void *context, const KernelExp *index)
{
    const Hist *hist = context;
    LowerLoop block;
    const KernelExp *at = lower_target_row(L, &hist->targets, index);
    lower_block_begin(L, &block);
    KernelVariable *old = kernel_variable(L->c, "old", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, old, NULL);
    const Reader *head = lower_row(L, hist->first, 1, &at);
    kernel_exchange(L->b, old, head->buffer, head->offset, index);
    lower_store_scalar(L, lower_row(L, hist->next, 1, &index), kernel_use(L->c, old));
    KernelBlock link = lower_block_end(L, &block);
    kernel_if(L->b, lower_is_inside(L, &hist->targets, at), link, (KernelBlock){0});
}

static void walk_list(Lower *L, const Hist *hist, const KernelExp *bin)
{
    const Targets *targets = &hist->targets;
    KernelVariable *row = kernel_variable(L->c, "row", CORE_I64, KERNEL_SCALAR, L->b->span);
    KernelVariable *more = kernel_variable(L->c, "more", CORE_BOOL, KERNEL_SCALAR, L->b->span);
    const KernelExp *at = kernel_use(L->c, row);
    kernel_declare(L->b, row, lower_read(L, hist->first, &bin));
    kernel_declare(L->b, more, lower_op(L, CORE_GE, at, lower_number(L, 0)));
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "while", NULL);
    if (targets->maker != NULL) {
        lower_target_row(L, targets, at);
    }
    combine_row(L, targets, targets->targets, bin, NULL, at);
    kernel_assign(L->b, row, lower_read(L, hist->next, &at));
    kernel_assign(L->b, more, lower_op(L, CORE_GE, at, lower_number(L, 0)));
    loop.variable = more;
    lower_loop_end(L, &loop);
}

static bool hist_by_lists(Lower *L, Hist *hist)
{
    hist->first = lower_allocate(L, "first", CORE_I64, 1, &hist->bins);
    hist->next = lower_allocate(L, "next", CORE_I64, 1, &hist->width);
    lower_for_each(L, "hist_lists", hist->text, hist->bins, no_list, hist);
    /* Where the operator cannot be a kernel, nothing is lost but these lists. */
    lower_for_each(L, "hist_link", hist->text, hist->width, into_list, hist);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    walk_list(L, hist, kernel_use(L->c, kernel.index));
    return lower_kernel_end(L, &kernel, "hist", hist->text, hist->bins);
}

/* ---- by shares, on processors ---------------------------------------------------------------- */

static bool count_shares(Lower *L, const Hist *hist, const KernelExp *groups)
{
    LowerKernel kernel;
    LowerLoop local;
    lower_shares_begin(L, &kernel);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *group = kernel_use(L->c, kernel.index);
    const Share rows = lower_share(L, group, hist->width, groups);
    fill_subs(L, hist, group, rows.first, rows.count);
    lower_local_end(L, &kernel, &local);
    return lower_shares_end(L, &kernel, "hist", hist->text, groups);
}

/* d[b] = d[b] op s[0][b], of all the share's bins, and so on: neighbours, which vectors have. */
static bool join_shares(Lower *L, const Hist *hist, const KernelExp *groups)
{
    const Targets *targets = &hist->targets;
    const Reader **sub = ARENA_ARRAY(L->c->arena, const Reader *, targets->count + 1);
    LowerKernel kernel;
    LowerLoop local, each, loop;
    lower_shares_begin(L, &kernel);
    lower_local_begin(L, &kernel, &local);
    const Share bins = lower_share(L, kernel_use(L->c, kernel.index), hist->bins, groups);
    lower_loop_begin(L, &each, FRAME_LOOP, "s", groups);
    for (size_t k = 0; k < targets->count; k++) {
        sub[k] = lower_row(L, hist->subs[k], 1, &each.index);
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "t", bins.count);
    const KernelExp *bin = lower_let(L, "b", lower_op(L, CORE_ADD, bins.first, loop.index));
    combine_row(L, targets, targets->targets, bin, sub, bin);
    lower_loop_end(L, &loop);
    lower_loop_end(L, &each);
    lower_local_end(L, &kernel, &local);
    return lower_shares_end(L, &kernel, "hist_join", hist->text, groups);
}

static bool count_whole(Lower *L, Hist *hist)
{
    LowerKernel kernel;
    LowerLoop local;
    lower_shares_begin(L, &kernel);
    lower_local_begin(L, &kernel, &local);
    hist_loop(L, hist);
    lower_local_end(L, &kernel, &local);
    return lower_shares_end(L, &kernel, "hist", hist->text, lower_number(L, 1));
}

/* A share has as many rows as there are bins, which it clears and joins, or half as many. */
static bool hist_by_shares(Lower *L, Hist *hist, const KernelExp *most)
{
    const Targets *targets = &hist->targets;
    LowerLoop several, whole;
    const KernelExp *least = lower_op(L, CORE_MAX, hist->bins, lower_number(L, LEAST_SHARE));
    const KernelExp *groups =
        kernel_divide(L->c, lower_op(L, CORE_MUL, hist->width, lower_number(L, 2)), least);
    groups = lower_let(L, "groups", lower_op(L, CORE_MIN, groups, most));
    lower_block_begin(L, &several);
    hist->subs = ARENA_ARRAY(L->c->arena, const Reader *, targets->count + 1);
    for (size_t k = 0; k < targets->count; k++) {
        const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, 2);
        shape[0] = groups;
        shape[1] = hist->bins;
        hist->subs[k] = lower_allocate(L, "sub", targets->targets[k]->prim, 2, shape);
    }
    bool good = count_shares(L, hist, groups) && join_shares(L, hist, groups);
    KernelBlock several_block = lower_block_end(L, &several);
    lower_block_begin(L, &whole);
    good = good && count_whole(L, hist);
    KernelBlock whole_block = lower_block_end(L, &whole);
    if (good) {
        kernel_if(L->b, lower_op(L, CORE_GT, groups, lower_number(L, 1)), several_block,
                  whole_block);
    }
    return good;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void many_bins(Lower *L, Hist *hist)
{
    if (hist->atomic != NULL) {
        lower_for_each(L, "hist", hist->text, hist->width, atomic_row, hist);
    } else if (hist->targets.count == 1 && are_exchangeable(hist->targets.exp) &&
               hist_by_retrying(L, hist)) {
        return;
    } else if (!hist_by_lists(L, hist)) {
        hist_alone(L, hist);
    }
}

static void few_bins(Lower *L, Hist *hist)
{
    if (!hist_by_subs(L, hist)) {
        hist_alone(L, hist);
    }
}

/* Whether there are rows enough for sub-histograms in the least number of work-items. */
static const KernelExp *are_few(Lower *L, const Hist *hist)
{
    const KernelExp *elements = lower_number(L, 0);
    for (size_t k = 0; k < hist->targets.count; k++) {
        const Reader *target = hist->targets.targets[k];
        elements = lower_let(
            L, "elements",
            lower_op(L, CORE_ADD, elements, lower_product(L, target->rank, target->shape)));
    }
    const KernelExp *share = kernel_divide(L->c, hist->width, lower_number(L, LEAST_ITEMS));
    return lower_let(
        L, "few",
        lower_op(L, CORE_LE, elements, lower_op(L, CORE_MAX, share, lower_number(L, LEAST_ROWS))));
}

/* How many bins of each destination a group may have in the local memory that every device has; 0: it has none of these. */
static int64_t room_of_groups(const Hist *hist)
{
    const CoreExp *exp = hist->stm->exp;
    if (!hist->atomic || !are_exchangeable(exp))
        return 0;
    size_t bytes = 0;
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        bytes += core_prim_bytes(exp->as.scatter.op->result_types[k].prim);
    }
    int64_t room = LOCAL_BINS;
    while (room * (int64_t)bytes > LOWER_LOCAL_BYTES) {
        room /= 2;
    }
    return room;
}

static void hist_by_sizes(Lower *L, Hist *hist)
{
    LowerLoop block;
    hist->room = room_of_groups(hist);
    const KernelExp *few = hist->room > 0
                               ? lower_op(L, CORE_LE, hist->bins, lower_number(L, hist->room))
                               : are_few(L, hist);
    lower_block_begin(L, &block);
    if (hist->room == 0 || !hist_by_groups(L, hist)) {
        few_bins(L, hist);
    }
    KernelBlock few_block = lower_block_end(L, &block);
    lower_block_begin(L, &block);
    many_bins(L, hist);
    KernelBlock many_block = lower_block_end(L, &block);
    kernel_if(L->b, few, few_block, many_block);
}

/* if this device is a processor { by shares } else { by sizes } */
static void hist_by_device(Lower *L, Hist *hist)
{
    LowerLoop block;
    bool good = L->for_processors && are_scalars(hist->stm->exp);
    KernelBlock shares = {0};
    const KernelExp *most = NULL;
    if (good) {
        most = lower_device(L, "processor_groups", CORE_I64);
        lower_block_begin(L, &block);
        good = hist_by_shares(L, hist, most);
        shares = lower_block_end(L, &block);
    }
    if (!good) {
        hist_by_sizes(L, hist);
        return;
    }
    lower_block_begin(L, &block);
    hist_by_sizes(L, hist);
    KernelBlock sizes = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_GT, most, lower_number(L, 0)), shares, sizes);
}

void lower_hist(Lower *L, const CoreStm *stm, const CoreStm *maker)
{
    Hist hist = {.stm = stm,
                 .targets = lower_targets(L, stm, maker, NULL),
                 .text = stm->pattern[0]->text,
                 .width = lower_scalar(L, stm->exp->as.scatter.width)};
    hist.bins = hist.targets.targets[0]->shape[0];
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    hist.atomic = atomic_operators(L, stm->exp);
    if (!on_host) {
        hist_loop(L, &hist);
    } else if (stm->exp->level == CORE_SEQ) {
        hist_alone(L, &hist);
    } else {
        hist_by_device(L, &hist);
    }
    lower_bind_targets(L, stm, &hist.targets);
}
