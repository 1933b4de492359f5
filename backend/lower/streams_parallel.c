/* Streams in parallel: each work-item folds a chunk of its own, sequentially [PLDI 2.4].

       GRID c < chunks { first = c * chunk;  m = min chunk (n - first)
                         part[c] := body(m, e, xs[first :+ m]);  ys[first :+ m] := ... }

   and the parts are reduced: as a reduction where all of them are scalars; else pairwise,
   neighbours first, so that the operator has to be associative only. An accumulator that the fold
   consumes is the part's own memory, which begins as a copy of the neutral element ([PLDI fig. 4c]:
   counts updated in place). */
#include "backend/lower/lower.h"

/* Work-items of a parallel stream, and the fewest rows that one is worth. */
enum { MOST_CHUNKS = 1 << 14, MOST_ARRAY_CHUNKS = 1 << 11, LEAST_CHUNK = 32, LEAST_ROWS = 8 };
/* Elements that the accumulators of all chunks may have together. */
enum { MOST_PART_ELEMENTS = 1 << 24 };

/* ---- chunks in parallel ---------------------------------------------------------------------- */

typedef struct ParallelStream {
    const CoreStm *stm;
    const CoreExp *exp;
    size_t accumulators;
    const KernelExp *width, *chunk, *chunks; /* host scalars */
    bool arrays;                             /* some accumulator is one */
    const Reader **parts;                    /* of rank 1 more: what each chunk's fold gave */
    const Reader **places;                   /* of the mapped results */
} ParallelStream;

/* Whether each row is as large as the accumulators (a reduction of rows as a stream, soacs.c). */
static bool folds_rows(Lower *L, const ParallelStream *s)
{
    const CoreBody *body = s->exp->as.stream.fold->body;
    return body->stm_count == 1 && pointer_map_get(&L->loops, body->stms[0]->exp) != NULL;
}

/* Chunks not smaller than an array accumulator, so that beginning and combining accumulators is no
   more work than the fold. */
static void find_chunks(Lower *L, ParallelStream *s)
{
    const KernelExp *elements = lower_number(L, 0);
    for (size_t k = 0; k < s->accumulators; k++) {
        CoreType type = s->stm->pattern[k]->type;
        s->arrays = s->arrays || type.rank > 0;
        const KernelExp *own = lower_product(L, type.rank, lower_shape(L, type));
        elements = lower_let(L, "elements", lower_op(L, CORE_ADD, elements, own));
    }
    int64_t most = s->arrays ? MOST_ARRAY_CHUNKS : MOST_CHUNKS;
    const KernelExp *limit = lower_number(L, most);
    const KernelExp *least = lower_number(L, LEAST_CHUNK);
    if (s->arrays) {
        const KernelExp *fit = lower_op(L, CORE_DIV, lower_number(L, MOST_PART_ELEMENTS),
                                        lower_op(L, CORE_MAX, elements, lower_number(L, 1)));
        limit =
            lower_let(L, "most",
                      lower_op(L, CORE_MAX, lower_op(L, CORE_MIN, fit, limit), lower_number(L, 1)));
        least =
            folds_rows(L, s) ? lower_number(L, LEAST_ROWS) : lower_op(L, CORE_MAX, elements, least);
    }
    const KernelExp *share = kernel_divide(
        L->c, lower_op(L, CORE_ADD, s->width, lower_op(L, CORE_SUB, limit, lower_number(L, 1))),
        limit);
    s->chunk = lower_let(L, "chunk", lower_op(L, CORE_MAX, share, least));
    const KernelExp *more =
        lower_op(L, CORE_ADD, s->width, lower_op(L, CORE_SUB, s->chunk, lower_number(L, 1)));
    s->chunks = lower_let(L, "chunks", kernel_divide(L->c, more, s->chunk));
}

/* Memory for accumulator k of every chunk, one at least. */
static const Reader *allocate_parts(Lower *L, const ParallelStream *s, size_t k)
{
    CoreType type = s->stm->pattern[k]->type;
    const KernelExp *rows =
        lower_let(L, "rows", lower_op(L, CORE_MAX, s->chunks, lower_number(L, 1)));
    return lower_allocate_transposed(L, s->stm->pattern[k]->text, rows, type.prim, type.rank,
                                     lower_shape(L, type));
}

/* The fold's accumulators: the neutral elements, in the part's own memory where they are consumed.
 */
static void begin_accumulators(Lower *L, const ParallelStream *s, const Reader *const *rows,
                               const Reader **wanted)
{
    const CoreLambda *fold = s->exp->as.stream.fold;
    for (size_t k = 0; k < s->accumulators; k++) {
        CoreName *parameter = fold->parameters[1 + k];
        Value neutral = lower_value(L, s->exp->as.stream.neutral[k]);
        wanted[k] = rows[k];
        if (parameter->type.rank > 0 && parameter->type.unique) {
            lower_assign(L, rows[k], neutral, parameter->text);
            neutral.array = rows[k];
            wanted[k] = NULL;
        }
        lower_bind(L, parameter, neutral);
    }
}

/* What was folded in place may be somewhere else after all, or a view of that place. */
static void finish_accumulators(Lower *L, const ParallelStream *s, const Reader *const *rows,
                                const Reader *const *wanted, Value *results)
{
    for (size_t k = 0; k < s->accumulators; k++) {
        if (wanted[k] != NULL || lower_same_memory(rows[k], results[k].array)) {
            continue;
        }
        for (size_t j = 0; j < s->accumulators; j++) {
            if (lower_reaches(results[k].array, rows[j]->buffer)) {
                const char *text = s->stm->pattern[k]->text;
                const Reader *saved =
                    lower_allocate(L, text, rows[k]->prim, rows[k]->rank, rows[k]->shape);
                lower_assign(L, saved, results[k], text);
                results[k].array = saved;
                break;
            }
        }
    }
    for (size_t k = 0; k < s->accumulators; k++) {
        if (wanted[k] == NULL) {
            lower_assign(L, rows[k], results[k], s->stm->pattern[k]->text);
        }
    }
}

static void fold_chunk(Lower *L, const ParallelStream *s, const KernelExp *index)
{
    const CoreLambda *fold = s->exp->as.stream.fold;
    size_t count = s->stm->pattern_count;
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, index, s->chunk));
    const KernelExp *rows_left = lower_op(L, CORE_SUB, s->width, first);
    lower_bind_scalar(L, fold->parameters[0], lower_op(L, CORE_MIN, s->chunk, rows_left));
    const KernelExp *size = lower_scalar(L, core_use(fold->parameters[0]));
    const Reader **rows = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < s->accumulators; k++) {
        rows[k] = lower_row(L, s->parts[k], 1, &index);
    }
    begin_accumulators(L, s, rows, wanted);
    for (size_t k = 0; k < s->exp->as.stream.input_count; k++) {
        const Reader *input = lower_array(L, s->exp->as.stream.inputs[k]);
        lower_bind_array(L, fold->parameters[1 + s->accumulators + k],
                         lower_chunk(L, input, first, size));
    }
    for (size_t k = s->accumulators; k < count; k++) {
        wanted[k] = lower_chunk(L, s->places[k], first, size);
    }
    Value *results = ARENA_ARRAY(L->c->arena, Value, count + 1);
    lower_body(L, fold->body, wanted, results);
    finish_accumulators(L, s, rows, wanted, results);
}

/* ---- the parts together ---------------------------------------------------------------------- */

/* reduce chunks parts op e, as a statement that binds `pattern`. */
static CoreStm *reduce_statement(Lower *L, const ParallelStream *s)
{
    Compilation *c = L->c;
    CoreName *chunks = core_name(c, "chunks", core_scalar(CORE_I64), s->stm->span);
    lower_bind_scalar(L, chunks, s->chunks);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, s->accumulators + 1);
    for (size_t k = 0; k < s->accumulators; k++) {
        CoreType type = core_array_of(c, core_use(chunks), s->stm->pattern[k]->type);
        type.unique = false;
        CoreName *name = core_name(c, s->stm->pattern[k]->text, type, s->stm->span);
        lower_bind_array(L, name, lower_chunk(L, s->parts[k], lower_number(L, 0), s->chunks));
        inputs[k] = core_use(name);
    }
    CoreStm *reduce = ARENA_NEW(c->arena, CoreStm);
    *reduce = *s->stm;
    reduce->certificate_count = 0;
    reduce->pattern_count = s->accumulators;
    reduce->exp =
        core_exp_reduce(c, core_use(chunks), s->accumulators, inputs, s->exp->as.stream.reduce,
                        s->exp->as.stream.neutral, s->exp->as.stream.commutative);
    return reduce;
}

static void forget_inputs(Lower *L, const CoreStm *reduce)
{
    for (size_t k = 0; k < reduce->exp->as.soac.input_count; k++) {
        lower_forget(L, reduce->exp->as.soac.inputs[k].name);
    }
}

/* parts[2 * step * p] := op(parts[2 * step * p], parts[2 * step * p + step]) */
static bool combine_pairs(Lower *L, const ParallelStream *s, const KernelExp *step)
{
    size_t count = s->accumulators;
    LowerKernel kernel;
    step = lower_let(L, "apart",
                     lower_op(L, CORE_MAX, step, lower_number(L, 1))); /* not 0: provably */
    const KernelExp *twice = lower_let(L, "twice", lower_op(L, CORE_MUL, step, lower_number(L, 2)));
    const KernelExp *before = lower_op(L, CORE_SUB, s->chunks, step);
    const KernelExp *pairs = lower_let(
        L, "pairs",
        kernel_divide(
            L->c, lower_op(L, CORE_ADD, before, lower_op(L, CORE_SUB, twice, lower_number(L, 1))),
            twice));
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *left =
        lower_let(L, "left", lower_op(L, CORE_MUL, kernel_use(L->c, kernel.index), twice));
    const KernelExp *right = lower_let(L, "right", lower_op(L, CORE_ADD, left, step));
    Value *arguments = ARENA_ARRAY(L->c->arena, Value, 2 * count + 1);
    Value *results = ARENA_ARRAY(L->c->arena, Value, count + 1);
    const Reader **fresh = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        arguments[k] = lower_row_value(L, s->parts[k], left);
        arguments[count + k] = lower_row_value(L, s->parts[k], right);
        const Reader *row = arguments[k].array;
        if (row != NULL) {
            fresh[k] = lower_allocate(L, "next", row->prim, row->rank, row->shape);
        }
    }
    lower_apply(L, s->exp->as.stream.reduce, arguments, fresh, results);
    for (size_t k = 0; k < count; k++) {
        if (fresh[k] != NULL) {
            results[k].array = fresh[k];
        }
        lower_assign(L, lower_row(L, s->parts[k], 1, &left), results[k], "total");
    }
    return lower_kernel_end(L, &kernel, "combine", s->stm->pattern[0]->text, pairs);
}

/* step = 1, 2, 4, ... below the number of chunks */
static bool combine_all(Lower *L, const ParallelStream *s)
{
    KernelVariable *step = kernel_variable(L->c, "step", CORE_I64, KERNEL_SCALAR, L->b->span);
    KernelVariable *more = kernel_variable(L->c, "more", CORE_BOOL, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, step, lower_number(L, 1));
    kernel_declare(L->b, more, lower_op(L, CORE_GT, s->chunks, lower_number(L, 1)));
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "while", NULL);
    bool good = combine_pairs(L, s, kernel_use(L->c, step));
    const KernelExp *next = lower_op(L, CORE_MUL, kernel_use(L->c, step), lower_number(L, 2));
    kernel_assign(L->b, step, next);
    kernel_assign(L->b, more, lower_op(L, CORE_LT, kernel_use(L->c, step), s->chunks));
    loop.variable = more;
    if (!good) {
        kernel_assign(L->b, more, kernel_constant(L->c, core_bool(false)));
    }
    lower_loop_end(L, &loop);
    return good;
}

/* The one part that is left, or the neutral elements where there was no row at all. */
static void bind_total(Lower *L, const ParallelStream *s)
{
    const KernelExp *zero = lower_number(L, 0);
    const KernelExp *any = lower_let(L, "any", lower_op(L, CORE_GT, s->width, zero));
    for (size_t k = 0; k < s->accumulators; k++) {
        CoreName *name = s->stm->pattern[k];
        Value neutral = lower_value(L, s->exp->as.stream.neutral[k]);
        const Reader *row = lower_row(L, s->parts[k], 1, &zero);
        if (name->type.rank == 0) {
            const KernelExp *part = kernel_load(L->c, row->buffer, row->offset);
            lower_bind_scalar(L, name, kernel_select(L->c, any, part, neutral.scalar));
            continue;
        }
        const Reader *place = lower_place(L, name);
        Value part = {.array = row};
        LowerLoop block;
        lower_block_begin(L, &block);
        lower_assign(L, place, part, name->text);
        KernelBlock then_block = lower_block_end(L, &block);
        lower_block_begin(L, &block);
        lower_assign(L, place, neutral, name->text);
        KernelBlock else_block = lower_block_end(L, &block);
        kernel_if(L->b, any, then_block, else_block);
        lower_bind_array(L, name, place);
    }
}

static void combine_totals(Lower *L, const ParallelStream *s)
{
    if (s->accumulators == 0) {
        return;
    }
    if (s->arrays && combine_all(L, s)) {
        bind_total(L, s);
    } else {
        CoreStm *reduce = reduce_statement(L, s);
        lower_statement(L, reduce);
        forget_inputs(L, reduce);
    }
}

bool lower_stream_parallel(Lower *L, const CoreStm *stm)
{
    if (core_has_effect(stm->exp)) {
        return false;
    }
    ParallelStream s = {.stm = stm,
                        .exp = stm->exp,
                        .accumulators = stm->exp->as.stream.accumulator_count,
                        .width = lower_scalar(L, stm->exp->as.stream.width)};
    find_chunks(L, &s);
    s.parts = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    s.places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (k < s.accumulators) {
            s.parts[k] = allocate_parts(L, &s, k);
        } else {
            s.places[k] = lower_place(L, stm->pattern[k]);
        }
    }
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    fold_chunk(L, &s, kernel_use(L->c, kernel.index));
    const char *text = stm->pattern_count > 0 ? stm->pattern[0]->text : "nothing";
    if (!lower_kernel_end(L, &kernel, "stream", text, s.chunks)) {
        return false;
    }
    combine_totals(L, &s);
    for (size_t k = s.accumulators; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], s.places[k]);
    }
    return true;
}
