/* Streams: SOACs over chunks of their rows, where any partition gives the same result [PLDI 2.4].

   Sequentially a stream is a loop over chunks, made as core and lowered as any loop is:

       stream_red n xs op (\m acc chunk -> body) e
       ==>  loop (total = e) for c < (n + chunk - 1) / chunk do {
                m = min chunk (n - c * chunk)
                part = body(m, e, xs[c * chunk :+ m])      (a copy of e where body consumes it)
                op(total, part) }

   stream_seq hands its accumulators on instead. The chunk is the whole where the fold needs no
   memory that grows with it, else of a size that bounds this memory. streams_parallel.c has the
   other way; a fold that cannot be a kernel is the loop here, with kernels inside. */
#include "backend/lower/lower.h"

/* Rows of a chunk: sequentially, with memory that grows with it; on the host of a device, where the
   chunk's SOACs are kernels; within a work-item, where small arrays are its own. */
enum { CHUNK_OF_LOOP = 4096, CHUNK_OF_HOST = 1 << 16, CHUNK_OF_ITEM = 64 };

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
           kind == CORE_EXP_FILTER || kind == CORE_EXP_COMPACT || kind == CORE_EXP_STREAM_MAP ||
           kind == CORE_EXP_STREAM_RED || kind == CORE_EXP_STREAM_SEQ ||
           kind == CORE_EXP_DIGIT_SORT;
}

static void walk_fold(void *context, const CoreBody *body)
{
    FoldWalk *walk = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(walk->L->c->arena, &walk->inside, stm->pattern[k], walk);
            CoreType type = stm->pattern[k]->type;
            for (int axis = 0; axis < type.rank && makes_memory(stm->exp->kind); axis++) {
                walk->makes =
                    walk->makes || (type.sizes[axis].name != NULL &&
                                    pointer_map_get(&walk->inside, type.sizes[axis].name));
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
        pointer_map_set(L->c->arena, &walk.inside, fold->parameters[k], &walk);
    }
    walk_fold(&walk, fold->body);
    return walk;
}

/* ---- the loop over chunks -------------------------------------------------------------------- */

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

/* The next accumulators: the fold's, or for a stream_red op(totals, the fold's). */
static void combine_parts(CoreBuilder *b, const CoreExp *exp, CoreName *const *totals,
                          CoreAtom *results)
{
    size_t count = exp->as.stream.accumulator_count;
    const CoreBody *fold = exp->as.stream.fold->body;
    if (count == 0) {
        return;
    }
    memcpy(results, fold->results, sizeof *results * count);
    if (exp->kind != CORE_EXP_STREAM_RED) {
        return;
    }
    const CoreLambda *reduce = exp->as.stream.reduce;
    for (size_t k = 0; k < count; k++) {
        bind_atom(b, reduce->parameters[k], core_use(totals[k]));
        bind_atom(b, reduce->parameters[count + k], fold->results[k]);
    }
    core_add_all(b, reduce->body);
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
    core_add_all(&b, fold->body);
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

void lower_stream(Lower *L, const CoreStm *stm)
{
    bool parallel = !L->in_kernel && L->target == KERNEL_PARALLEL && stm->exp->level != CORE_SEQ &&
                    stm->exp->kind != CORE_EXP_STREAM_SEQ;
    if (parallel && lower_stream_parallel(L, stm)) {
        return;
    }
    if (parallel) {
        lower_refuse_level(L, stm, "cannot be kept: this does not make one kernel");
    }
    stream_sequential(L, stm);
}
