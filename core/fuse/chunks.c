/* [PLDI 4] Streams: a SOAC beside a stream becomes a stream of the same kind, and two streams become
   one, whose fold runs the first's and then the second's on each chunk.

       let ys = map n f xs                        let s = stream_red n (+)
       let s = stream_red n (+)            ==>      (\(m, a, xc) ->
         (\(m, a, yc) ->                                let yc = map m f xc
            let b = redomap m (+) g 0 yc                let b = redomap m (+) g 0 yc
            in a + b) (0) ys                            in a + b) (0) xs

   handover.c says which do. Here are rules F1 to F4, which make streams of SOACs, and F6 and F7, with
   chunks of any size; F2, F4, F5 and F7 with chunks of one row, where a stream is a loop, are in
   streams.c. A scan (F5) goes into a sequential stream there only: by itself it is parallel, and
   better so. */
#include "core/fuse/fuse.h"

bool fuse_is_stream(const CoreStm *stm)
{
    CoreExpKind kind = stm->exp->kind;
    return (kind == CORE_EXP_STREAM_MAP || kind == CORE_EXP_STREAM_RED ||
            kind == CORE_EXP_STREAM_SEQ) &&
           stm->exp->level == CORE_LEVEL_AUTO && stm->exp->space == CORE_SPACE_AUTO;
}

const CoreAtom *fuse_inputs_of(const CoreStm *stm, size_t *count)
{
    const CoreExp *exp = stm->exp;
    bool is_stream = fuse_is_stream(stm);
    *count = is_stream ? exp->as.stream.input_count : exp->as.soac.input_count;
    return is_stream ? exp->as.stream.inputs : exp->as.soac.inputs;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* \(c1, d1, c2, d2) -> (c1 + c2, d1 * d2), of copies. */
static const CoreLambda *tupled(Compilation *c, Span span, size_t count,
                                const CoreLambda *const *operators)
{
    size_t width = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        width += operators[i]->body->result_count;
    }
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 2 * width + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreBuilder b = core_builder(c, span);
    for (size_t i = 0; i < count; i++) {
        const CoreLambda *op = core_rename_lambda(core_renaming(c), operators[i]);
        size_t k = op->body->result_count;
        for (size_t j = 0; j < k; j++) {
            parameters[at + j] = op->parameters[j];
            parameters[width + at + j] = op->parameters[k + j];
            results[at + j] = op->body->results[j];
        }
        core_add_all(&b, op->body);
        at += k;
    }
    return core_lambda(c, 2 * width, parameters, core_body(&b, width, results));
}

/* ---- SOACs as streams ------------------------------------------------------------------------ */

/* A SOAC on a chunk. */
typedef struct Chunk {
    Compilation *c;
    const CoreStm *stm;
    CoreBuilder b;       /* the fold's body */
    size_t accumulators; /* that the stream has */
    CoreName **parameters;
    CoreAtom *results;
    CoreAtom *neutral;
} Chunk;

/* The fold's parameters: the chunk's size, accumulators, chunks. */
static void make_parameters(Chunk *chunk, const CoreSoac *soac)
{
    Compilation *c = chunk->c;
    size_t at = 0;
    chunk->parameters =
        ARENA_ARRAY(c->arena, CoreName *, 1 + chunk->accumulators + soac->input_count);
    chunk->parameters[at++] = core_name(c, "m", core_scalar(CORE_I64), chunk->stm->span);
    for (size_t i = 0; i < chunk->accumulators; i++) {
        CoreName *result = chunk->stm->pattern[i];
        chunk->parameters[at++] = core_name(c, result->text, result->type, result->span);
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreType row = core_row(core_atom_type(soac->inputs[i]));
        CoreType type = core_array_of(c, core_use(chunk->parameters[0]), row);
        type.unique = soac->map->parameters[i]->type.unique;
        chunk->parameters[at++] = core_name(c, soac->inputs[i].name->text, type, chunk->stm->span);
    }
}

/* let (r, yc) = soac m f xc: what the SOAC does, on the chunk. */
static Chunk on_chunk(Fuse *f, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Chunk chunk = {.c = f->c,
                   .stm = stm,
                   .accumulators = fuse_total_width(soac->reduction_count, soac->reductions)};
    chunk.b = core_builder(f->c, stm->span);
    make_parameters(&chunk, soac);
    CoreName **pattern = ARENA_ARRAY(f->c->arena, CoreName *, stm->pattern_count + 1);
    chunk.results = ARENA_ARRAY(f->c->arena, CoreAtom, stm->pattern_count + 1);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreType type = stm->pattern[i]->type;
        if (i >= chunk.accumulators) {
            type = core_array_of(f->c, core_use(chunk.parameters[0]), core_row(type));
        }
        type.unique = false;
        pattern[i] = core_name(f->c, stm->pattern[i]->text, type, stm->span);
        chunk.results[i] = core_use(pattern[i]);
    }
    CoreExp *exp = core_exp_copy(f->c, stm->exp);
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, soac->input_count + 1);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = core_use(chunk.parameters[1 + chunk.accumulators + i]);
    }
    exp->as.soac.width = core_use(chunk.parameters[0]);
    exp->as.soac.inputs = inputs;
    core_bind(&chunk.b, stm->pattern_count, pattern, exp);
    return chunk;
}

/* The chunk's results r become a + r. */
static void accumulate(Chunk *chunk)
{
    const CoreSoac *soac = &chunk->stm->exp->as.soac;
    size_t at = 0;
    chunk->neutral = ARENA_ARRAY(chunk->c->arena, CoreAtom, chunk->accumulators + 1);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        const CoreReduction *r = &soac->reductions[i];
        size_t k = r->function->body->result_count;
        Renaming *renaming = core_renaming(chunk->c);
        for (size_t j = 0; j < k; j++) {
            core_rename(renaming, r->function->parameters[j],
                        core_use(chunk->parameters[1 + at + j]));
            core_rename(renaming, r->function->parameters[k + j], chunk->results[at + j]);
            chunk->neutral[at + j] = r->neutral[j];
        }
        const CoreBody *both = core_rename_body(renaming, r->function->body);
        core_add_all(&chunk->b, both);
        for (size_t j = 0; j < k; j++) {
            chunk->results[at++] = both->results[j];
        }
    }
}

static const CoreStm *as_stream(Chunk *chunk, CoreExpKind kind, const CoreLambda *op,
                                bool commutative)
{
    const CoreSoac *soac = &chunk->stm->exp->as.soac;
    const CoreBody *body = core_body(&chunk->b, chunk->stm->pattern_count, chunk->results);
    const CoreLambda *fold =
        core_lambda(chunk->c, 1 + chunk->accumulators + soac->input_count, chunk->parameters, body);
    CoreStm *stm = arena_copy(chunk->c->arena, chunk->stm, sizeof *stm);
    stm->exp = core_exp_stream(chunk->c, kind, soac->width, soac->input_count, soac->inputs, fold,
                               op, chunk->accumulators, chunk->neutral, commutative);
    return stm;
}

/* [PLDI F1]  map f b  ==>  stream_map (\bc -> map f bc) b */
static const CoreStm *map_as_stream_map(Fuse *f, const CoreStm *stm)
{
    Chunk chunk = on_chunk(f, stm);
    return as_stream(&chunk, CORE_EXP_STREAM_MAP, NULL, true);
}

/* [PLDI F2]  map f b  ==>  stream_seq (\(a, bc) -> (0, map f bc)) (0) b
   where there need not be an accumulator. */
static const CoreStm *map_as_stream_seq(Fuse *f, const CoreStm *stm)
{
    Chunk chunk = on_chunk(f, stm);
    return as_stream(&chunk, CORE_EXP_STREAM_SEQ, NULL, false);
}

/* [PLDI F3]  reduce + e b  ==>  stream_red + (\(a, bc) -> a + reduce + e bc) (e) b
   Several reductions are one of tuples; what is mapped beside them stays. */
static const CoreStm *reduce_as_stream_red(Fuse *f, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Chunk chunk = on_chunk(f, stm);
    accumulate(&chunk);
    const CoreLambda **operators =
        ARENA_ARRAY(f->c->arena, const CoreLambda *, soac->reduction_count);
    bool commutative = true;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        operators[i] = soac->reductions[i].function;
        commutative = commutative && core_commutes(&soac->reductions[i]);
    }
    return as_stream(&chunk, CORE_EXP_STREAM_RED,
                     tupled(f->c, stm->span, soac->reduction_count, operators), commutative);
}

/* [PLDI F4]  reduce + e b  ==>  stream_seq (\(a, bc) -> a + reduce + e bc) (e) b */
static const CoreStm *reduce_as_stream_seq(Fuse *f, const CoreStm *stm)
{
    Chunk chunk = on_chunk(f, stm);
    accumulate(&chunk);
    return as_stream(&chunk, CORE_EXP_STREAM_SEQ, NULL, false);
}

static const CoreStm *to_stream(Fuse *f, const CoreStm *stm, bool in_order)
{
    if (fuse_is_stream(stm)) {
        return stm;
    }
    if (stm->exp->as.soac.reduction_count > 0) {
        return in_order ? reduce_as_stream_seq(f, stm) : reduce_as_stream_red(f, stm);
    }
    return in_order ? map_as_stream_seq(f, stm) : map_as_stream_map(f, stm);
}

/* ---- two streams as one ---------------------------------------------------------------------- */

size_t fuse_handed_over(const CoreStm *first, CoreAtom input)
{
    size_t folded = fuse_is_stream(first) ? first->exp->as.stream.accumulator_count : 0;
    for (size_t i = folded; i < first->pattern_count; i++) {
        if (first->pattern[i] == input.name) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Two streams on their way to be one. */
typedef struct Two {
    Compilation *c;
    const CoreStm *first, *second;
    const CoreExp *x, *y;
    size_t a, b;        /* accumulators of each */
    Renaming *renaming; /* of the second's fold */
    VEC(CoreName *) parameters;
    VEC(CoreAtom) inputs;
} Two;

/* The chunk of an input that both read; NULL: only the second does. */
static CoreName *common_chunk(const Two *two, size_t input)
{
    for (size_t i = 0; i < two->x->as.stream.input_count; i++) {
        CoreName *chunk = two->x->as.stream.fold->parameters[1 + two->a + i];
        if (core_atom_equal(two->x->as.stream.inputs[i], two->y->as.stream.inputs[input]) &&
            !chunk->type.unique &&
            !two->y->as.stream.fold->parameters[1 + two->b + input]->type.unique) {
            return chunk;
        }
    }
    return NULL;
}

static void add_parameter(Two *two, const CoreName *old)
{
    CoreType type = core_map_type(two->c, old->type, core_renamed, two->renaming);
    CoreName *name = core_name(two->c, old->text, type, old->span);
    core_rename(two->renaming, old, core_use(name));
    vec_push(two->c->arena, &two->parameters, name);
}

/* m, both's accumulators, the first's chunks, and those of the second that are from outside. */
static void add_parameters(Two *two)
{
    const CoreLambda *f = two->x->as.stream.fold, *g = two->y->as.stream.fold;
    core_rename(two->renaming, g->parameters[0], core_use(f->parameters[0]));
    for (size_t i = 0; i < 1 + two->a; i++) {
        vec_push(two->c->arena, &two->parameters, f->parameters[i]);
    }
    for (size_t i = 0; i < two->b; i++) {
        add_parameter(two, g->parameters[1 + i]);
    }
    for (size_t i = 0; i < two->x->as.stream.input_count; i++) {
        vec_push(two->c->arena, &two->parameters, f->parameters[1 + two->a + i]);
        vec_push(two->c->arena, &two->inputs, two->x->as.stream.inputs[i]);
    }
    for (size_t i = 0; i < two->y->as.stream.input_count; i++) {
        const CoreName *chunk = g->parameters[1 + two->b + i];
        size_t result = fuse_handed_over(two->first, two->y->as.stream.inputs[i]);
        CoreName *common = common_chunk(two, i);
        if (result != SIZE_MAX) {
            core_rename(two->renaming, chunk, f->body->results[result]);
        } else if (common) {
            core_rename(two->renaming, chunk, core_use(common));
        } else {
            add_parameter(two, chunk);
            vec_push(two->c->arena, &two->inputs, two->y->as.stream.inputs[i]);
        }
    }
}

/* The accumulators of both, then what both map. */
#define IN_ORDER(out, two, xs, ys)                                                                 \
    do {                                                                                           \
        size_t at = 0;                                                                             \
        for (size_t i = 0; i < (two)->a; i++) {                                                    \
            (out)[at++] = (xs)[i];                                                                 \
        }                                                                                          \
        for (size_t i = 0; i < (two)->b; i++) {                                                    \
            (out)[at++] = (ys)[i];                                                                 \
        }                                                                                          \
        for (size_t i = (two)->a; i < (two)->first->pattern_count; i++) {                          \
            (out)[at++] = (xs)[i];                                                                 \
        }                                                                                          \
        for (size_t i = (two)->b; i < (two)->second->pattern_count; i++) {                         \
            (out)[at++] = (ys)[i];                                                                 \
        }                                                                                          \
    } while (0)

/* \(m, a1, a2, bc, dc) -> { F; G in (r1, r2, xc, yc, zc) } */
static const CoreLambda *both_folds(Two *two)
{
    Compilation *c = two->c;
    const CoreLambda *f = two->x->as.stream.fold, *g = two->y->as.stream.fold;
    size_t count = two->first->pattern_count + two->second->pattern_count;
    CoreBuilder b = core_builder(c, two->second->span);
    add_parameters(two);
    const CoreBody *after = core_rename_body(two->renaming, g->body);
    core_add_all(&b, f->body);
    core_add_all(&b, after);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    IN_ORDER(results, two, f->body->results, after->results);
    return core_lambda(c, two->parameters.count, two->parameters.items,
                       core_body(&b, count, results));
}

static const CoreStm *composed(Fuse *f, const CoreStm *first, const CoreStm *second,
                               CoreExpKind kind, const CoreLambda *op, bool commutative)
{
    Two two = {.c = f->c, .first = first, .second = second, .x = first->exp, .y = second->exp};
    two.a = two.x->as.stream.accumulator_count;
    two.b = two.y->as.stream.accumulator_count;
    two.renaming = core_renaming(f->c);
    const CoreLambda *fold = both_folds(&two);
    CoreAtom *neutral = ARENA_ARRAY(f->c->arena, CoreAtom, two.a + two.b + 1);
    for (size_t i = 0; i < two.a + two.b; i++) {
        neutral[i] = i < two.a ? two.x->as.stream.neutral[i] : two.y->as.stream.neutral[i - two.a];
    }
    CoreStm *stm = arena_copy(f->c->arena, second, sizeof *stm);
    stm->pattern_count = first->pattern_count + second->pattern_count;
    CoreName **pattern = ARENA_ARRAY(f->c->arena, CoreName *, stm->pattern_count + 1);
    IN_ORDER(pattern, &two, first->pattern, second->pattern);
    stm->pattern = pattern;
    stm->certificates = fuse_certificates(f->c, first, second, &stm->certificate_count);
    stm->exp = core_exp_stream(f->c, kind, two.x->as.stream.width, two.inputs.count,
                               two.inputs.items, fold, op, two.a + two.b, neutral, commutative);
    return stm;
}

/* [PLDI F6]  let (r1, x, y) = stream_red + f (e1) a      stream_red
              let (r2, z) = stream_red * g (e2) x b   ==>   (\(c1, d1, c2, d2) -> (c1 + c2, d1 * d2))
                                                            (\(e1, e2, ac, bc) ->
                                                               let (r1, xc, yc) = f e1 ac
                                                               let (r2, zc) = g e2 xc bc
                                                               in (r1, r2, xc, yc, zc)) (e1, e2) a b
   A stream_map is a stream_red without accumulators. */
static const CoreStm *compose_parallel(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    const CoreLambda *operators[2];
    size_t count = 0;
    if (first->exp->kind == CORE_EXP_STREAM_RED) {
        operators[count++] = first->exp->as.stream.reduce;
    }
    if (second->exp->kind == CORE_EXP_STREAM_RED) {
        operators[count++] = second->exp->as.stream.reduce;
    }
    bool commutative = first->exp->as.stream.commutative && second->exp->as.stream.commutative;
    return composed(f, first, second, count > 0 ? CORE_EXP_STREAM_RED : CORE_EXP_STREAM_MAP,
                    count > 0 ? tupled(f->c, second->span, count, operators) : NULL, commutative);
}

/* [PLDI F7]  let (r1, x, y) = stream_seq f (e1) b        stream_seq (\(a1, a2, bc, dc) ->
              let (r2, z) = stream_seq g (e2) x d    ==>    let (r1, xc, yc) = f a1 bc
                                                            let (r2, zc) = g a2 xc dc
                                                            in (r1, r2, xc, yc, zc)) (e1, e2) b d */
static const CoreStm *compose_sequential(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    return composed(f, first, second, CORE_EXP_STREAM_SEQ, NULL, false);
}

const CoreStm *fuse_merge_streams(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    bool in_order =
        first->exp->kind == CORE_EXP_STREAM_SEQ || second->exp->kind == CORE_EXP_STREAM_SEQ;
    first = to_stream(f, first, in_order);
    second = to_stream(f, second, in_order);
    return in_order ? compose_sequential(f, first, second) : compose_parallel(f, first, second);
}
