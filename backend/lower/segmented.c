/* Segmented reductions and scans: map nests whose inner end is one [PLDI 5.1, footnote 5].

       map n (\row -> { let s = redomap m row f op e in (s / m) }) rows

   No one way to compute this is right for all n and m, so that there are several versions, and size
   tests choose when the program runs:

   - a work-item a segment (grid.c): many segments, and either neighbouring segments lie beside each
     other in memory (sums of columns, inner products) or segments are very short;
   - some work-items of a group a segment, or a whole group, or several groups (segment_group.c):
     rows of a segment lie beside each other, as in sums of rows;
   - work-items each take a piece of a segment, neighbours of neighbouring segments
     (segment_columns.c): few long segments that lie across, such as sums of some columns;
   - tiles of segments through local memory (segment_tiles.c): where these share what their rows are
     made of, as in products of matrices.

   Scans have a work-item a segment as well, work-items of a group a segment, whose rows or neighbours lie beside each
   other (segment_scan.c), groups that share long segments out (segment_lookback.c), and, where these cannot wait for each
   other, for very few very long ones, one scan after the other, each by all work-items (scan.c): segment_versions.c.
   Results that are wanted turned are written so where neighbours go together; where rows do, they are turned afterwards:
   both at once takes longer (4096 x 4096 integers on an H200: 0.42 ms instead of 0.23). A map of what is scanned (the
   scan's taker, core/fuse/nest_pairs.c) has each element where it is finished, and may reduce it (segment_fold.c).

   Which of these make sense is seen in the kernels as they are lowered (strides.c); how many
   work-items a device needs, and whether they read together at all, the runtime knows. */
#include "backend/lower/checks.h"
#include "backend/lower/processor.h"
#include "backend/lower/segments.h"

/* ---- what is a segmented reduction ----------------------------------------------------------- */

/* Segments of so few rows are not worth a version of their own. */
enum { SHORT_SEGMENT = 8 };

static bool has_scalar_scans(const CoreSoac *soac)
{
    for (size_t k = 0; k < soac->scan_count; k++) {
        if (!lower_scalar_operator(&soac->scans[k])) {
            return false;
        }
    }
    return true;
}

/* Reductions to scalars, or scans of scalars. */
static bool is_end(const Nest *nest, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_SOAC || exp->level != CORE_LEVEL_AUTO ||
        exp->space != CORE_SPACE_AUTO) {
        return false;
    }
    CoreAtom width = exp->as.soac.width;
    bool scans = exp->as.soac.reduction_count == 0 && exp->as.soac.scan_count > 0 &&
                 has_scalar_scans(&exp->as.soac);
    bool reduces = exp->as.soac.reduction_count > 0 && lower_is_scalar_reduce(exp);
    return (scans || reduces) && lower_is_outside(nest, width) &&
           (width.name != NULL || width.as.integer > SHORT_SEGMENT);
}

bool segment_binds(const CoreStm *stm, CoreAtom atom)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k] == atom.name) {
            return true;
        }
    }
    return false;
}

/* A result that is a row of a few numbers, made of what the segment is reduced to: written as that ends. */
static bool is_row_of_numbers(const Segments *s, const CoreStm *stm)
{
    if (s->scanned > 0 || stm->exp->kind != CORE_EXP_LITERAL || stm->certificate_count > 0) {
        return false;
    }
    bool is_result = false;
    for (size_t k = 0; k < s->body->result_count; k++) {
        is_result = is_result || s->body->results[k].name == stm->pattern[0];
    }
    return is_result && stm->pattern[0]->type.rank == 1;
}

static bool is_made_at_end(const Segments *s, CoreAtom result)
{
    for (size_t i = s->at + 1; i < s->body->stm_count; i++) {
        if (segment_binds(s->body->stms[i], result)) {
            return is_row_of_numbers(s, s->body->stms[i]);
        }
    }
    return false;
}

/* Results are scalars, rows of a few, or what the SOAC or its taker maps out, each once; and all of that is a result, but what
   the taker takes. */
static bool has_plain_results(const Segments *s)
{
    size_t mapped = 0, wanted = s->fold != NULL    ? 0
                                : s->taker != NULL ? s->taker->pattern_count
                                                   : s->stm->pattern_count - s->reduced;
    for (size_t k = 0; k < s->body->result_count; k++) {
        if (s->level->outs[k] == SIZE_MAX) {
            return false;
        }
        if (s->level->soac->map->result_types[k].rank > 0) {
            bool takes = s->taker != NULL && segment_binds(s->taker, s->body->results[k]);
            bool ends = is_made_at_end(s, s->body->results[k]);
            if (!takes && !ends && !segment_binds(s->stm, s->body->results[k])) {
                return false;
            }
            for (size_t j = 0; j < k; j++) {
                if (core_atom_equal(s->body->results[j], s->body->results[k])) {
                    return false;
                }
            }
            mapped += !ends && (takes || s->taker == NULL);
        }
    }
    return mapped == wanted;
}

static void find_loop(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        *found = kind == CORE_EXP_LOOP || kind == CORE_EXP_SOAC;
        core_each_body(body->stms[i]->exp, find_loop, found);
    }
}

bool segment_uses(const CoreStm *stm, const CoreStm *binder)
{
    bool uses = false;
    for (size_t k = 0; k < binder->pattern_count && !uses; k++) {
        uses = binder->pattern[k]->type.rank > 0 && core_stm_uses(stm, binder->pattern[k]);
    }
    return uses;
}

/* What stands beside the SOAC is computed by several work-items, or by one that others wait for;
   what stands after it has scalars alone, but for views that the taker takes, and asks for none of its arrays. */
static bool is_cheap_beside(const Segments *s)
{
    for (size_t i = 0; i < s->body->stm_count; i++) {
        const CoreStm *stm = s->body->stms[i];
        if (stm == s->taker) {
            continue;
        }
        bool ends = i > s->at && is_row_of_numbers(s, stm);
        if (i != s->at && !ends && !lower_is_cheap(stm->exp)) {
            return false;
        }
        bool is_taken = s->taker != NULL && i < s->taken && core_is_view(stm->exp->kind);
        for (size_t k = 0; i > s->at && !is_taken && !ends && k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank > 0) {
                return false;
            }
        }
        if (i > s->at && segment_uses(stm, s->stm)) {
            return false;
        }
    }
    return true;
}

typedef struct InsideWalk {
    const Nest *nest;
    bool found;
} InsideWalk;

static void find_inside(void *context, CoreName *name)
{
    InsideWalk *walk = context;
    walk->found = walk->found || !lower_is_outside(walk->nest, core_use(name));
}

/* The operators are the same for all segments: work-items apply them to totals of which they know no more. */
static bool has_same_operators(const Segments *s)
{
    InsideWalk walk = {.nest = s->nest};
    if (s->fold != NULL && !has_same_operators(s->fold)) {
        return false;
    }
    for (size_t r = 0; r < s->soac->reduction_count + s->soac->scan_count; r++) {
        const CoreReduction *one = r < s->soac->reduction_count
                                       ? &s->soac->reductions[r]
                                       : &s->soac->scans[r - s->soac->reduction_count];
        for (size_t i = 0; i < one->function->body->stm_count; i++) {
            core_each_free(one->function->body->stms[i], find_inside, &walk);
        }
    }
    return !walk.found;
}

static bool find_segments(Lower *L, Segments *s)
{
    s->level = &s->nest->levels.items[s->nest->levels.count - 1];
    s->body = s->level->soac->map->body;
    s->depth = (int)s->nest->levels.count;
    if (s->nest->view_rank > 0) {
        return false;
    }
    for (s->at = 0; s->at < s->body->stm_count; s->at++) {
        if (is_end(s->nest, s->body->stms[s->at])) {
            break;
        }
    }
    if (s->at == s->body->stm_count) {
        return false;
    }
    s->stm = s->body->stms[s->at];
    s->soac = &s->stm->exp->as.soac;
    for (size_t r = 0; r < s->soac->reduction_count; r++) {
        s->reduced += lower_width(&s->soac->reductions[r]);
    }
    s->in_order = lower_reduces_in_order(s->soac);
    for (size_t k = 0; k < s->soac->scan_count; k++) {
        s->scanned += lower_width(&s->soac->scans[k]);
    }
    find_loop(&s->heavy, s->soac->map->body);
    segment_find_taker(s);
    segment_find_fold(L, s);
    return is_cheap_beside(s) && has_plain_results(s) && has_same_operators(s);
}

/* ---- pieces of kernels ----------------------------------------------------------------------- */

const KernelExp *segment_number(Lower *L, const Segments *s, const SegmentEntry *entry,
                                const KernelExp *row)
{
    const KernelExp *numbers = lower_op(L, CORE_ADD, s->width, lower_number(L, 1));
    return lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, entry->segment, numbers), row);
}

static SegmentEntry enter(Lower *L, const Segments *s, const KernelExp *segment, KernelExps indices)
{
    SegmentEntry entry = {.segment = segment, .indices = indices};
    const KernelExp *around = L->number;
    L->number = segment_number(L, s, &entry, lower_number(L, 0));
    for (int v = 0; v < s->depth; v++) {
        const KernelExp *guard = lower_enter_level(L, &s->nest->levels.items[v], entry.indices[v]);
        entry.guard = lower_both(L, entry.guard, guard);
    }
    for (size_t i = 0; i < s->at; i++) {
        lower_statement(L, s->body->stms[i]);
    }
    entry.guard = lower_both(L, entry.guard, lower_guard_of(L, s->stm));
    L->number = around;
    return entry;
}

SegmentEntry segment_enter(Lower *L, const Segments *s, const KernelExp *segment)
{
    return enter(L, s, segment, lower_unflatten(L, segment, s->depth, s->extents));
}

SegmentEntry segment_enter_at(Lower *L, const Segments *s, KernelExps indices)
{
    const KernelExp *segment = indices[0];
    for (int v = 1; v < s->depth; v++) {
        segment = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, segment, s->extents[v]), indices[v]);
    }
    return enter(L, s, segment, indices);
}

Accumulator *segment_accumulators(Lower *L, const Segments *s)
{
    return lower_all_accumulators(L, s->soac->reduction_count, s->soac->reductions);
}

void segment_accumulate(Lower *L, const Segments *s, Accumulator *accumulators,
                        const Value *operands)
{
    lower_accumulate_all(L, s->soac->reduction_count, s->soac->reductions, accumulators, operands);
}

const Reader *segment_place(Lower *L, const Segments *s, const SegmentEntry *entry,
                            const CoreName *name)
{
    for (size_t k = 0; k < s->body->result_count; k++) {
        if (s->body->results[k].name == name) {
            const Reader *out = s->nest->outs[s->level->outs[k]];
            return lower_row(L, out, (size_t)s->depth, entry->indices);
        }
    }
    return NULL;
}

void segment_row(Lower *L, const Segments *s, const SegmentEntry *entry, const KernelExp *row,
                 Value *values)
{
    size_t results = s->stm->pattern_count;
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, results + 1);
    lower_is_row(row, s->width);
    lower_bind_rows(L, s->soac->map, 0, s->soac->input_count, s->soac->inputs, row);
    for (size_t k = s->reduced + s->scanned; k < results; k++) {
        wanted[k] = lower_row(L, segment_place(L, s, entry, s->stm->pattern[k]), 1, &row);
    }
    lower_body_of_row(L, segment_number(L, s, entry, row), s->soac->map->body, wanted, values);
}

/* Where a segment has parts, the number of a row is made of the segment's, too. What all segments read of a row, as the vector
   in `v+.×x`, is far from no segment then, if something else has neighbouring segments side by side; if nothing has, it is read
   together by work-items with neighbouring rows alone. */
void segment_note_strides(Lower *L, Segments *s, const SegmentEntry *entry, KernelBlock block,
                          const KernelExp *row)
{
    const KernelExp *segment = entry->indices[s->depth - 1];
    bool across = lower_turned_accesses(L, block, row, segment) > 0;
    s->far_rows = lower_far_accesses(L, block, row, NULL);
    s->far_segments = lower_far_accesses(L, block, segment, across ? row : NULL);
}

/* The operands of a piece's total, instead of a row. */
static void bind_piece(Lower *L, const Segments *s, const KernelExp *segment,
                       const KernelExp *piece, Value *values)
{
    const KernelExp *at = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, piece, s->count), segment);
    at = lower_let(L, "at", at);
    for (size_t k = 0; k < s->reduced; k++) {
        values[k].scalar = lower_let(L, s->pieces[k]->text, kernel_load(L->c, s->pieces[k], at));
    }
}

static void one_row(Lower *L, Segments *s, const SegmentEntry *entry, Accumulator *accumulators,
                    const KernelExp *number_of_row)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    const KernelExp *row = lower_let(L, "i", number_of_row);
    size_t before = L->b->commands.count;
    if (s->pieces != NULL) {
        bind_piece(L, s, entry->segment, row, values);
    } else {
        segment_row(L, s, entry, row, values);
    }
    segment_accumulate(L, s, accumulators, values);
    KernelBlock block = kernel_block(L->b);
    block.commands += before;
    block.count -= before;
    segment_note_strides(L, s, entry, block, row);
}

/* Rows that are read before the first of them is needed: some 32 bytes. */
static int64_t rows_ahead(Lower *L, const Segments *s)
{
    if (s->pieces == NULL && !lower_reads_ahead(L, s->soac)) {
        return 1;
    }
    bool few = s->reduced == 1;
    for (size_t k = 0; s->pieces == NULL && k < s->soac->map->parameter_count; k++) {
        CorePrim prim = s->soac->map->parameters[k]->type.prim;
        few = few && k == 0 && prim != CORE_I64 && prim != CORE_F64;
    }
    return few ? 8 : 4;
}

/* Accesses that are made before the first row of them is needed, where rows are read several at a
   time: of each of one or two arrays, of each of more. */
enum { WIDE_AHEAD = 4, WIDE_AHEAD_OF_MANY = 2, MANY_ARRAYS = 3 };

/* first + round * ahead * step: what is added to it in a round does not depend on the round. */
static const KernelExp *first_of_round(Lower *L, const Segments *s, const KernelExp *first,
                                       const KernelExp *round, const KernelExp *ahead,
                                       const KernelExp *step)
{
    const KernelExp *before = lower_op(L, CORE_MUL, round, lower_op(L, CORE_MUL, ahead, step));
    const KernelExp *from = lower_let(L, "from", lower_op(L, CORE_ADD, first, before));
    if (s->pieces == NULL) {
        lower_is_row(from, s->width);
    }
    return from;
}

void segment_rows(Lower *L, Segments *s, const SegmentEntry *entry, Accumulator *accumulators,
                  const KernelExp *first, const KernelExp *count, const KernelExp *step)
{
    int64_t ahead = rows_ahead(L, s);
    LowerLoop loop, rows;
    if (entry->guard != NULL) {
        count = kernel_select(L->c, entry->guard, count, lower_number(L, 0));
    }
    count = lower_let(L, "count", count);
    const KernelExp *done = lower_number(L, 0);
    if (ahead > 1) {
        const KernelExp *rounds = lower_op(L, CORE_MAX, count, lower_number(L, 0));
        rounds = lower_let(L, "rounds", kernel_divide(L->c, rounds, lower_number(L, ahead)));
        lower_loop_begin(L, &loop, FRAME_MAP, "r", rounds);
        const KernelExp *from =
            first_of_round(L, s, first, loop.index, lower_number(L, ahead), step);
        lower_loop_begin(L, &rows, FRAME_MAP, "s", lower_number(L, ahead));
        one_row(L, s, entry, accumulators,
                lower_op(L, CORE_ADD, from, lower_op(L, CORE_MUL, rows.index, step)));
        rows.written_out = KERNEL_WRITE_OUT;
        lower_loop_end(L, &rows);
        loop.written_out = KERNEL_ONE_BY_ONE;
        lower_loop_end(L, &loop);
        done = lower_let(L, "done", lower_op(L, CORE_MUL, rounds, lower_number(L, ahead)));
        count = lower_let(L, "count", lower_op(L, CORE_SUB, count, done));
    }
    lower_loop_begin(L, &loop, FRAME_MAP, "t", count);
    const KernelExp *t = lower_op(L, CORE_ADD, done, loop.index);
    one_row(L, s, entry, accumulators,
            lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, t, step)));
    loop.written_out = ahead > 1 ? KERNEL_ONE_BY_ONE : 0;
    lower_loop_end(L, &loop);
}

/* What rows map out would not be side by side if a work-item had several of them. */
WideRows segment_wide(Lower *L, const Segments *s, const SegmentEntry *entry,
                      const KernelExp *first)
{
    WideRows none = {.rows = 1};
    bool maps_out = s->stm->pattern_count > s->reduced;
    if (s->pieces != NULL || maps_out || first->kind != KERNEL_VARIABLE ||
        !lower_reads_ahead(L, s->soac)) {
        return none;
    }
    LowerLoop block;
    unsigned last = L->c->last_number;
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    lower_block_begin(L, &block);
    segment_row(L, s, entry, first, values);
    return lower_wide_rows(L, lower_block_end(L, &block), first, last);
}

static void one_wide(Lower *L, const Segments *s, const SegmentEntry *entry,
                     Accumulator *accumulators, const WideRows *wide, const KernelExp *first)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    const KernelExp *row = lower_let(L, "i", first);
    size_t begin = L->b->commands.count;
    for (size_t k = 0; k < wide->rows; k++) {
        segment_row(L, s, entry, lower_op(L, CORE_ADD, row, lower_number(L, (int64_t)k)), values);
        segment_accumulate(L, s, accumulators, values);
    }
    lower_wide_join(L, wide, begin, row);
}

void segment_wide_rows(Lower *L, const Segments *s, const SegmentEntry *entry,
                       Accumulator *accumulators, const WideRows *wide, const KernelExp *first,
                       const KernelExp *count, const KernelExp *step)
{
    LowerLoop loop, steps;
    if (entry->guard != NULL) {
        count = kernel_select(L->c, entry->guard, count, lower_number(L, 0));
    }
    count = lower_let(L, "wide", count);
    const KernelExp *ahead =
        lower_number(L, wide->arrays < MANY_ARRAYS ? WIDE_AHEAD : WIDE_AHEAD_OF_MANY);
    const KernelExp *rounds = lower_let(L, "rounds", kernel_divide(L->c, count, ahead));
    lower_loop_begin(L, &loop, FRAME_MAP, "r", rounds);
    const KernelExp *from = first_of_round(L, s, first, loop.index, ahead, step);
    lower_loop_begin(L, &steps, FRAME_MAP, "s", ahead);
    one_wide(L, s, entry, accumulators, wide,
             lower_op(L, CORE_ADD, from, lower_op(L, CORE_MUL, steps.index, step)));
    steps.written_out = KERNEL_WRITE_OUT;
    lower_loop_end(L, &steps);
    loop.written_out = KERNEL_ONE_BY_ONE;
    lower_loop_end(L, &loop);
    const KernelExp *done = lower_let(L, "done", lower_op(L, CORE_MUL, rounds, ahead));
    lower_loop_begin(L, &loop, FRAME_MAP, "t",
                     lower_let(L, "count", lower_op(L, CORE_SUB, count, done)));
    const KernelExp *t = lower_op(L, CORE_ADD, done, loop.index);
    one_wide(L, s, entry, accumulators, wide,
             lower_op(L, CORE_ADD, first, lower_op(L, CORE_MUL, t, step)));
    loop.written_out = KERNEL_ONE_BY_ONE;
    lower_loop_end(L, &loop);
}

void segment_leave(Lower *L, const Segments *s, const SegmentEntry *entry,
                   const KernelExp *const *totals)
{
    for (size_t k = 0; k < s->reduced; k++) {
        lower_bind_scalar(L, s->stm->pattern[k], totals[k]);
    }
    const KernelExp *around = L->number;
    L->number = segment_number(L, s, entry, s->width);
    for (size_t i = s->at + 1; i < s->body->stm_count; i++) {
        const CoreStm *stm = s->body->stms[i];
        bool ends = is_row_of_numbers(s, stm);
        if (ends) {
            pointer_map_set(L->c->arena, &L->wanted, stm->pattern[0],
                            (void *)(uintptr_t)segment_place(L, s, entry, stm->pattern[0]));
        }
        if (stm != s->taker) {
            lower_statement(L, stm);
        }
        if (ends) {
            pointer_map_set(L->c->arena, &L->wanted, stm->pattern[0], NULL);
        }
    }
    L->number = around;
    for (size_t k = 0; k < s->body->result_count; k++) {
        CoreAtom result = s->body->results[k];
        if (s->level->soac->map->result_types[k].rank == 0 || is_made_at_end(s, result)) {
            const Reader *out = s->nest->outs[s->level->outs[k]];
            lower_assign(L, lower_row(L, out, (size_t)s->depth, entry->indices),
                         lower_value(L, result), "total");
        }
    }
}

const char *segment_component(Lower *L, const Segments *s, size_t k, CorePrim *prim)
{
    bool scans = s->scanned > 0;
    size_t count = scans ? s->soac->scan_count : s->soac->reduction_count;
    for (size_t r = 0; r < count; r++) {
        const CoreReduction *one = scans ? &s->soac->scans[r] : &s->soac->reductions[r];
        if (k < lower_width(one)) {
            *prim = lower_prim(one->function->result_types[k].prim);
            return one->function->parameters[k]->text;
        }
        k -= lower_width(one);
    }
    internal_error(L->c, "a segmented reduction has no accumulator %zu", k);
}

KernelVariable *segment_buffer(Lower *L, const Segments *s, size_t k, KernelSpace space)
{
    CorePrim prim;
    const char *text = segment_component(L, s, k, &prim);
    return kernel_variable(L->c, text, prim, space, L->b->span);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Rows from which on a segment across may be cut into pieces, and up to which one beside others is read by a single work-item
   well enough; if it is reduced, longer ones are than if it is scanned. (On an H200, sums of 10^8 integers by rows of 9, 10,
   12, 14 and 16: 0.22, 0.23, 0.24, 0.26 and 0.40 ms, by groups 0.34, 0.28, 0.28, 0.25 and 0.23.) */
enum { LONG_COLUMN = 256, SHORT_ROW = 8, SHORT_REDUCED_ROW = 14 };

/* Whether a work-item a segment is best. */
static const KernelExp *suits_items(Lower *L, const Segments *s, const KernelExp *work_items)
{
    const KernelExp *many =
        lower_op(L, CORE_GE, lower_op(L, CORE_MUL, s->count, lower_number(L, 8)), work_items);
    int64_t most = s->scanned > 0 ? SHORT_ROW : SHORT_REDUCED_ROW;
    const KernelExp *is_short = lower_op(L, CORE_LE, s->width, lower_number(L, most));
    if (s->far_rows < s->far_segments) {
        const KernelExp *alone =
            lower_op(L, CORE_EQ, lower_device(L, "lanes", CORE_I64), lower_number(L, 1));
        if (segment_shares_operands(s)) {
            return lower_op(L, CORE_AND, alone, lower_op(L, CORE_OR, many, is_short));
        }
        return lower_op(L, CORE_OR, lower_op(L, CORE_AND, alone, many), is_short);
    }
    if (s->far_rows > 0 && s->scanned == 0 && !s->heavy) {
        is_short = lower_op(L, CORE_LT, s->width, lower_number(L, LONG_COLUMN));
    }
    return lower_op(L, CORE_OR, many, is_short);
}

/* The versions in which work-items share segments; false where these cannot be. */
static bool share_segments(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *shared)
{
    if (s->scanned > 0) {
        return segment_scans(L, s, work_items, shared);
    }
    LowerLoop version;
    lower_block_begin(L, &version);
    bool good = segment_by_groups(L, s, work_items);
    *shared = lower_block_end(L, &version);
    if (good && segment_lies_across(s)) {
        lower_block_begin(L, &version);
        good = segment_by_columns(L, s, work_items);
        *shared = lower_block_end(L, &version);
    }
    return good;
}

bool segment_lies_across(const Segments *s)
{
    return s->far_rows > 0 && s->far_rows >= s->far_segments;
}

/* Tiles where they are best, else a work-item a segment or several. */
static void choose_version(Lower *L, Segments *s, const KernelExp *work_items,
                           const KernelExp *alone, KernelBlock items, KernelBlock shared)
{
    LowerLoop others;
    lower_block_begin(L, &others);
    kernel_if(L->b, alone, items, shared);
    KernelBlock block = lower_block_end(L, &others);
    segment_by_tiles(L, s, work_items, &block);
    kernel_add_block(L->b, block);
}

static bool in_versions(Lower *L, Segments *s)
{
    LowerLoop version;
    KernelBlock shared;
    const KernelExp *work_items = lower_device(L, "work_items", CORE_I64);
    bool good = share_segments(L, s, work_items, &shared);
    const KernelExp *alone = lower_let(L, "alone", suits_items(L, s, work_items));
    lower_block_begin(L, &version);
    good = good && (s->taker != NULL ? segment_scan_items(L, s)
                                     : lower_nest_grid(L, s->nest, s->extents, s->text));
    if (good && s->taker == NULL) {
        lower_map_on_processor(L, s->outer, s->nest->levels.items[0].soac, 0);
    }
    KernelBlock items = lower_block_end(L, &version);
    lower_block_begin(L, &version);
    choose_version(L, s, work_items, alone, items, shared);
    KernelBlock chosen = lower_block_end(L, &version);
    bool across = good && s->scanned > 0 && segment_lies_across(s);
    kernel_add_block(L->b, across ? segment_looking_back(L, s, work_items, chosen) : chosen);
    return good;
}

bool lower_segmented(Lower *L, const CoreStm *stm, const Nest *nest, KernelExps extents,
                     const char *text)
{
    Segments s = {.outer = stm, .nest = nest, .extents = extents, .text = text};
    if (!find_segments(L, &s)) {
        return false;
    }
    LowerLoop all;
    lower_block_begin(L, &all);
    s.width = lower_scalar(L, s.soac->width);
    s.count = lower_let(L, "segments", lower_product(L, s.depth, extents));
    bool good = L->by_items && s.fold != NULL ? segment_scan_items(L, &s) : in_versions(L, &s);
    KernelBlock block = lower_block_end(L, &all);
    for (size_t i = 0; good && i < block.count; i++) {
        kernel_add(L->b, block.commands[i]);
    }
    return good;
}
