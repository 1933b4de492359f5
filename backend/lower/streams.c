/* Streams: SOACs over chunks of their rows, where any partition gives the same result [PLDI 2.4].

   A sequential stream is a loop over chunks, made as core and lowered as any loop is:

       stream_red n xs op (\m acc chunk -> body) e
       ==>  loop (total = e) for c < (n + chunk - 1) / chunk do {
                m = min chunk (n - c * chunk)
                part = body(m, e, xs[c * chunk :+ m])      (a copy of e where body consumes it)
                op(total, part) }

   stream_seq hands its accumulators on instead. The chunk is the whole where the fold needs no
   memory that grows with it, else of a size that bounds this memory.

   In parallel, stream_map and stream_red give each work-item a chunk, which it folds sequentially:

       GRID c < chunks { first = c * chunk;  m = min chunk (n - first)
                         part[c] := body(m, e, xs[first :+ m]);  ys[first :+ m] := ... }

   and the parts are reduced: as a reduction where all of them are scalars; else pairwise,
   neighbours first, so that the operator has to be associative only. An accumulator that the fold
   consumes is the part's own memory, which begins as a copy of the neutral element ([PLDI fig. 4c]:
   counts updated in place). A fold that cannot be a kernel is the loop, with kernels inside. */
#include "backend/lower/lower.h"

/* Rows of a chunk: sequentially, with memory that grows with it; on the host of a device, where the
   chunk's SOACs are kernels; within a work-item, where small arrays are its own. */
enum { CHUNK_OF_LOOP = 4096, CHUNK_OF_HOST = 1 << 16, CHUNK_OF_ITEM = 64 };
/* Work-items of a parallel stream, and the fewest rows that one is worth. */
enum { MOST_CHUNKS = 1 << 14, MOST_ARRAY_CHUNKS = 1 << 11, LEAST_CHUNK = 32, LEAST_ROWS = 8 };
/* Elements that the accumulators of all chunks may have together. */
enum { MOST_PART_ELEMENTS = 1 << 24 };

/* ---- what a fold needs ----------------------------------------------------------------------- */

/* Names bound within a fold, and whether an array whose size is one of them is made. */
typedef struct FoldWalk {
    Lower *L;
    PointerMap inside;
    bool makes, soacs;
} FoldWalk;

static bool makes_memory(CoreExpKind kind)
{
    return kind == CORE_EXP_SOAC || kind == CORE_EXP_COPY || kind == CORE_EXP_SCRATCH ||
           kind == CORE_EXP_IF || kind == CORE_EXP_LOOP || kind == CORE_EXP_LITERAL ||
           kind == CORE_EXP_FILTER || kind == CORE_EXP_STREAM_MAP || kind == CORE_EXP_STREAM_RED ||
           kind == CORE_EXP_STREAM_SEQ;
}

static void walk_fold(void *context, const CoreBody *body)
{
    FoldWalk *walk = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            lower_map_set(walk->L->c->arena, &walk->inside, stm->pattern[k], walk);
            CoreType type = stm->pattern[k]->type;
            for (int axis = 0; axis < type.rank && makes_memory(stm->exp->kind); axis++) {
                walk->makes = walk->makes || (type.sizes[axis].name != NULL &&
                                              lower_map_get(&walk->inside, type.sizes[axis].name));
            }
        }
        walk->soacs =
            walk->soacs || stm->exp->kind == CORE_EXP_SOAC || stm->exp->kind >= CORE_EXP_FILTER;
        core_each_body(stm->exp, walk_fold, walk);
    }
}

static FoldWalk walk_of(Lower *L, const CoreExp *exp)
{
    FoldWalk walk = {.L = L};
    const CoreLambda *fold = exp->as.stream.fold;
    for (size_t k = 0; k < fold->parameter_count; k++) {
        lower_map_set(L->c->arena, &walk.inside, fold->parameters[k], &walk);
    }
    walk_fold(&walk, fold->body);
    return walk;
}

/* ---- the loop over chunks ---------------------------------------------------------------------
 */

static void bind_atom(CoreBuilder *b, CoreName *name, CoreAtom atom)
{
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    exp->kind = CORE_EXP_ATOM;
    exp->as.atom = atom;
    core_bind(b, 1, &name, exp);
}

static void bind_copy(CoreBuilder *b, CoreName *name, CoreAtom array)
{
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    exp->kind = CORE_EXP_COPY;
    exp->as.array = array;
    core_bind(b, 1, &name, exp);
}

/* One slice for each axis: the rows first .. first + count whole. */
static CoreSlice *chunk_slices(Compilation *c, CoreType type, CoreAtom first, CoreAtom count)
{
    CoreSlice *slices = ARENA_ARRAY(c->arena, CoreSlice, (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        slices[axis].offset = axis == 0 ? first : core_i64(0);
        slices[axis].count = axis == 0 ? count : type.sizes[axis];
        slices[axis].stride = core_i64(1);
    }
    return slices;
}

static void bind_chunk(CoreBuilder *b, CoreName *name, CoreAtom array, CoreAtom first,
                       CoreAtom count)
{
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    CoreType type = core_atom_type(array);
    exp->kind = CORE_EXP_SLICE;
    exp->as.slice.array = array;
    exp->as.slice.count = (size_t)type.rank;
    exp->as.slice.slices = chunk_slices(b->c, type, first, count);
    core_bind(b, 1, &name, exp);
}

static void add_statements(CoreBuilder *b, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(b, body->stms[i]);
    }
}

/* The next accumulators: the fold's, or for a stream_red op(totals, the fold's). */
static void combine_parts(CoreBuilder *b, const CoreExp *exp, CoreName *const *totals,
                          CoreAtom *results)
{
    size_t count = exp->as.stream.accumulator_count;
    const CoreBody *fold = exp->as.stream.fold->body;
    memcpy(results, fold->results, sizeof *results * count);
    if (exp->kind != CORE_EXP_STREAM_RED) {
        return;
    }
    const CoreLambda *reduce = exp->as.stream.reduce;
    for (size_t k = 0; k < count; k++) {
        bind_atom(b, reduce->parameters[k], core_use(totals[k]));
        bind_atom(b, reduce->parameters[count + k], fold->results[k]);
    }
    add_statements(b, reduce->body);
    memcpy(results, reduce->body->results, sizeof *results * count);
}

/* The loop's body for chunk number `index`; state: totals, then the mapped arrays. */
static const CoreBody *chunk_body(Lower *L, const CoreStm *stm, CoreName *index, CoreAtom chunk,
                                  CoreName *const *state)
{
    const CoreExp *exp = stm->exp;
    const CoreLambda *fold = exp->as.stream.fold;
    size_t accumulators = exp->as.stream.accumulator_count;
    CoreBuilder b = core_builder(L->c, stm->span);
    CoreAtom first = core_let_binary(&b, "first", CORE_MUL, core_use(index), chunk);
    CoreAtom left = core_let_binary(&b, "left", CORE_SUB, exp->as.stream.width, first);
    CoreAtom rows = core_let_binary(&b, "rows", CORE_MIN, chunk, left);
    bind_atom(&b, fold->parameters[0], rows);
    for (size_t k = 0; exp->kind == CORE_EXP_STREAM_RED && k < accumulators; k++) {
        CoreName *parameter = fold->parameters[1 + k];
        if (parameter->type.unique && parameter->type.rank > 0) {
            bind_copy(&b, parameter, exp->as.stream.neutral[k]);
        } else {
            bind_atom(&b, parameter, exp->as.stream.neutral[k]);
        }
    }
    for (size_t k = 0; k < exp->as.stream.input_count; k++) {
        bind_chunk(&b, fold->parameters[1 + accumulators + k], exp->as.stream.inputs[k], first,
                   core_use(fold->parameters[0]));
    }
    add_statements(&b, fold->body);
    CoreAtom *results = ARENA_ARRAY(L->c->arena, CoreAtom, stm->pattern_count + 1);
    combine_parts(&b, exp, state, results);
    for (size_t k = accumulators; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        CoreSlice *slices = chunk_slices(L->c, type, first, core_use(fold->parameters[0]));
        results[k] = core_let_update(&b, stm->pattern[k]->text, core_use(state[k]),
                                     (size_t)type.rank, slices, fold->body->results[k]);
    }
    return core_body(&b, stm->pattern_count, results);
}

/* The loop's state: its names, and what they are initially. */
static CoreName **begin_chunks(CoreBuilder *b, const CoreStm *stm, CoreAtom *initial)
{
    const CoreExp *exp = stm->exp;
    size_t accumulators = exp->as.stream.accumulator_count;
    CoreName **state = ARENA_ARRAY(b->c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        if (k < accumulators) {
            initial[k] = exp->as.stream.neutral[k];
            type.unique = false;
            state[k] = exp->kind == CORE_EXP_STREAM_SEQ
                           ? exp->as.stream.fold->parameters[1 + k]
                           : core_name(b->c, stm->pattern[k]->text, type, stm->span);
        } else {
            initial[k] = core_let_scratch(b, stm->pattern[k]->text, type.prim, (size_t)type.rank,
                                          type.sizes);
            type.unique = true;
            state[k] = core_name(b->c, stm->pattern[k]->text, type, stm->span);
        }
    }
    return state;
}

/* max(1, elements of the largest array accumulator, least) */
static CoreAtom worthwhile_chunk(CoreBuilder *b, const CoreStm *stm, int64_t least)
{
    CoreAtom chunk = core_i64(least);
    for (size_t k = 0; k < stm->exp->as.stream.accumulator_count; k++) {
        CoreType type = stm->pattern[k]->type;
        CoreAtom elements = core_i64(1);
        for (int axis = 0; axis < type.rank; axis++) {
            elements = core_let_binary(b, "elements", CORE_MUL, elements, type.sizes[axis]);
        }
        if (type.rank > 0 && stm->exp->kind == CORE_EXP_STREAM_RED) {
            chunk = core_let_binary(b, "chunk", CORE_MAX, chunk, elements);
        }
    }
    return chunk;
}

static CoreAtom chunk_of_loop(Lower *L, CoreBuilder *b, const CoreStm *stm)
{
    FoldWalk walk = walk_of(L, stm->exp);
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    if (on_host && (walk.makes || walk.soacs)) {
        return worthwhile_chunk(b, stm, CHUNK_OF_HOST);
    }
    if (!walk.makes) {
        return core_let_binary(b, "chunk", CORE_MAX, stm->exp->as.stream.width, core_i64(1));
    }
    return L->in_kernel ? core_i64(CHUNK_OF_ITEM) : worthwhile_chunk(b, stm, CHUNK_OF_LOOP);
}

/* Whether the loop's accumulator k may be the neutral element's memory, or that of an input, while
   a stream's results are arrays of their own. */
static bool may_share(const CoreExp *exp, size_t k)
{
    if (k >= exp->as.stream.accumulator_count) {
        return false;
    }
    CoreType type = exp->as.stream.fold->parameters[1 + k]->type;
    return type.rank > 0 && !(exp->kind == CORE_EXP_STREAM_SEQ && type.unique);
}

static void copy_shared(Lower *L, const CoreStm *stm, CoreName *const *from)
{
    CoreBuilder b = core_builder(L->c, stm->span);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (from[k] != stm->pattern[k]) {
            bind_copy(&b, stm->pattern[k], core_use(from[k]));
        }
    }
    for (size_t i = 0; i < b.stms.count; i++) {
        lower_statement(L, b.stms.items[i]);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (from[k] != stm->pattern[k]) {
            lower_forget(L, from[k]);
        }
    }
}

static void stream_sequential(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreBuilder b = core_builder(L->c, stm->span);
    CoreAtom chunk = chunk_of_loop(L, &b, stm);
    CoreAtom less = core_let_binary(&b, "less", CORE_SUB, chunk, core_i64(1));
    CoreAtom more = core_let_binary(&b, "more", CORE_ADD, exp->as.stream.width, less);
    CoreAtom chunks = core_let_binary(&b, "chunks", CORE_DIV, more, chunk);
    CoreAtom *initial = ARENA_ARRAY(L->c->arena, CoreAtom, stm->pattern_count + 1);
    CoreName **state = begin_chunks(&b, stm, initial);
    CoreName *index = core_name(L->c, "chunk", core_scalar(CORE_I64), stm->span);
    const CoreBody *body = chunk_body(L, stm, index, chunk, state);
    for (size_t i = 0; i < b.stms.count; i++) {
        lower_statement(L, b.stms.items[i]);
    }
    CoreName **pattern = ARENA_ARRAY(L->c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pattern[k] = may_share(exp, k)
                         ? core_name(L->c, stm->pattern[k]->text, stm->pattern[k]->type, stm->span)
                         : stm->pattern[k];
    }
    CoreStm *loop = ARENA_NEW(L->c->arena, CoreStm);
    *loop = *stm;
    loop->certificate_count = 0;
    loop->pattern = pattern;
    loop->exp = core_exp_for(L->c, stm->pattern_count, state, initial, index, chunks, body);
    lower_statement(L, loop);
    for (size_t k = exp->as.stream.accumulator_count; k < stm->pattern_count; k++) {
        lower_forget(L, initial[k].name);
    }
    copy_shared(L, stm, pattern);
}

/* ---- chunks in parallel -----------------------------------------------------------------------
 */

typedef struct ParallelStream {
    const CoreStm *stm;
    const CoreExp *exp;
    size_t accumulators;
    const KernelExp *width, *chunk, *chunks; /* host scalars */
    bool arrays;                             /* some accumulator is one */
    const Reader **parts;                    /* of rank 1 more: what each chunk's fold gave */
    const Reader **places;                   /* of the mapped results */
} ParallelStream;

static const KernelExp *number(Lower *L, int64_t value)
{
    return kernel_i64(L->c, value);
}

static const KernelExp *op(Lower *L, CoreOperator which, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, which, x, y);
}

/* Whether each row is as large as the accumulators (a reduction of rows as a stream, soacs.c). */
static bool folds_rows(Lower *L, const ParallelStream *s)
{
    const CoreBody *body = s->exp->as.stream.fold->body;
    return body->stm_count == 1 && lower_map_get(&L->loops, body->stms[0]->exp) != NULL;
}

/* Chunks not smaller than an array accumulator, so that beginning and combining accumulators is no
   more work than the fold. */
static void find_chunks(Lower *L, ParallelStream *s)
{
    const KernelExp *elements = number(L, 0);
    for (size_t k = 0; k < s->accumulators; k++) {
        CoreType type = s->stm->pattern[k]->type;
        s->arrays = s->arrays || type.rank > 0;
        const KernelExp *own = lower_product(L, type.rank, lower_shape(L, type));
        elements = lower_let(L, "elements", op(L, CORE_ADD, elements, own));
    }
    int64_t most = s->arrays ? MOST_ARRAY_CHUNKS : MOST_CHUNKS;
    const KernelExp *limit = number(L, most);
    const KernelExp *least = number(L, LEAST_CHUNK);
    if (s->arrays) {
        const KernelExp *fit =
            op(L, CORE_DIV, number(L, MOST_PART_ELEMENTS), op(L, CORE_MAX, elements, number(L, 1)));
        limit = lower_let(L, "most", op(L, CORE_MAX, op(L, CORE_MIN, fit, limit), number(L, 1)));
        least = folds_rows(L, s) ? number(L, LEAST_ROWS) : op(L, CORE_MAX, elements, least);
    }
    const KernelExp *share =
        kernel_divide(L->c, op(L, CORE_ADD, s->width, op(L, CORE_SUB, limit, number(L, 1))), limit);
    s->chunk = lower_let(L, "chunk", op(L, CORE_MAX, share, least));
    const KernelExp *more = op(L, CORE_ADD, s->width, op(L, CORE_SUB, s->chunk, number(L, 1)));
    s->chunks = lower_let(L, "chunks", kernel_divide(L->c, more, s->chunk));
}

/* Memory for accumulator k of every chunk, one at least. */
static const Reader *allocate_parts(Lower *L, const ParallelStream *s, size_t k)
{
    CoreType type = s->stm->pattern[k]->type;
    const KernelExp *rows = lower_let(L, "rows", op(L, CORE_MAX, s->chunks, number(L, 1)));
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
    const KernelExp *first = lower_let(L, "first", op(L, CORE_MUL, index, s->chunk));
    const KernelExp *rows_left = op(L, CORE_SUB, s->width, first);
    lower_bind_scalar(L, fold->parameters[0], op(L, CORE_MIN, s->chunk, rows_left));
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

/* ---- the parts together ------------------------------------------------------------------------
 */

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
        lower_bind_array(L, name, lower_chunk(L, s->parts[k], number(L, 0), s->chunks));
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
    const KernelExp *twice = lower_let(L, "twice", op(L, CORE_MUL, step, number(L, 2)));
    const KernelExp *before = op(L, CORE_SUB, s->chunks, step);
    const KernelExp *pairs = lower_let(
        L, "pairs",
        kernel_divide(L->c, op(L, CORE_ADD, before, op(L, CORE_SUB, twice, number(L, 1))), twice));
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *left =
        lower_let(L, "left", op(L, CORE_MUL, kernel_use(L->c, kernel.index), twice));
    const KernelExp *right = lower_let(L, "right", op(L, CORE_ADD, left, step));
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
    kernel_declare(L->b, step, number(L, 1));
    kernel_declare(L->b, more, op(L, CORE_GT, s->chunks, number(L, 1)));
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "while", NULL);
    bool good = combine_pairs(L, s, kernel_use(L->c, step));
    const KernelExp *next = op(L, CORE_MUL, kernel_use(L->c, step), number(L, 2));
    kernel_assign(L->b, step, next);
    kernel_assign(L->b, more, op(L, CORE_LT, kernel_use(L->c, step), s->chunks));
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
    const KernelExp *zero = number(L, 0);
    const KernelExp *any = lower_let(L, "any", op(L, CORE_GT, s->width, zero));
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

static bool stream_parallel(Lower *L, const CoreStm *stm)
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

void lower_stream(Lower *L, const CoreStm *stm)
{
    bool parallel = !L->in_kernel && L->target == KERNEL_PARALLEL && stm->exp->level != CORE_SEQ &&
                    stm->exp->kind != CORE_EXP_STREAM_SEQ;
    if (parallel && stream_parallel(L, stm)) {
        return;
    }
    if (parallel) {
        lower_refuse_level(L, stm, "cannot be kept: this does not make one kernel");
    }
    stream_sequential(L, stm);
}
