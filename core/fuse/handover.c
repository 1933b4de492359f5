/* [PLDI 4.2] Which streams and SOACs become one stream (chunks.c).

   Sequential streams and parallel ones stay apart: one of both would be sequential, and what the
   program says about how its work may be shared out would be lost ([PLDI 4.2]).

   A fold that goes over its chunk without memory that grows with it is a loop in a work-item. So
   that it stays one, what is handed over has to be made by one SOAC of the first's fold, and taken by
   one of the second's, row by row: the two are one in the next round (graph.c). In a parallel stream
   the maker may be a scan, too: a work-item goes over its rows in their order, so that a scan and
   what takes its rows are one loop there (folds.c), as in [PLDI] figure 10c. What is dear is better
   done by more work-items than a stream has. */
#include "core/fuse/fuse.h"

/* Operations a row that the few work-items of a stream do as well as the many of a map: reading rows
   that are far from those of their neighbours takes longer. */
enum { MOST_WORK = 96 };

typedef struct Memory {
    Fuse *f;
    const CoreBody *fold;
    int level;
    bool grows;
} Memory;

static bool makes_array(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_COPY || exp->kind == CORE_EXP_SCRATCH ||
           exp->kind == CORE_EXP_LITERAL ||
           (core_has_bodies(exp->kind) && exp->kind != CORE_EXP_HIST) ||
           exp->kind == CORE_EXP_FORMAT;
}

static void find_memory(void *context, const CoreBody *body)
{
    Memory *memory = context;
    for (size_t i = 0; i < body->stm_count && !memory->grows; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count && makes_array(stm->exp); k++) {
            CoreType type = stm->pattern[k]->type;
            bool is_place = body == memory->fold && fuse_is_result(body, stm->pattern[k]);
            for (int axis = 0; axis < type.rank && !is_place; axis++) {
                const CoreName *size = type.sizes[axis].name;
                memory->grows =
                    memory->grows || (size && fuse_name(memory->f, size)->level >= memory->level);
            }
        }
        core_each_body(stm->exp, find_memory, memory);
    }
}

bool fuse_makes_own_sizes(Fuse *f, const CoreLambda *lambda, const CoreBody *results)
{
    Memory memory = {f, results, fuse_name(f, lambda->parameters[0])->level, false};
    find_memory(&memory, lambda->body);
    return memory.grows;
}

static bool has_arrays(const CoreStm *stm, size_t accumulators)
{
    return !fuse_are_scalars(accumulators, stm->pattern);
}

/* Why this is no part of a stream, parallel or sequential. */
static CoreReason why_alone(Fuse *f, const CoreStm *stm, bool parallel)
{
    if (fuse_is_stream(stm)) {
        const CoreLambda *fold = stm->exp->as.stream.fold;
        return parallel && fuse_makes_own_sizes(f, fold, fold->body) ? CORE_REASON_CHUNK
                                                                     : CORE_REASON_NONE;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    if (soac->scan_count > 0) {
        return CORE_REASON_SCAN;
    }
    if (has_arrays(stm, fuse_total_width(soac->reduction_count, soac->reductions))) {
        return CORE_REASON_CHUNK;
    }
    return parallel && fuse_cost(soac->map->body) > MOST_WORK ? CORE_REASON_WORK : CORE_REASON_NONE;
}

/* Result number `result` of the first: of its fold, or its own. */
static const CoreName *made_as(const CoreStm *first, size_t result)
{
    return fuse_is_stream(first) ? first->exp->as.stream.fold->body->results[result].name
                                 : first->pattern[result];
}

/* The SOAC that makes result number `result`: of the fold, over the chunk; or the statement itself. */
static const CoreStm *maker_of(const CoreStm *stm, size_t result)
{
    if (!fuse_is_stream(stm)) {
        return stm;
    }
    const CoreBody *fold = stm->exp->as.stream.fold->body;
    return fuse_maker_in(fold, fold->results[result]);
}

typedef struct Users {
    size_t count;       /* statements that use it */
    const CoreStm *one; /* of them */
} Users;

static Users users_of(const CoreBody *body, const CoreName *name)
{
    Users users = {0};
    for (size_t i = 0; i < body->stm_count; i++) {
        if (core_stm_uses(body->stms[i], name)) {
            users.count++;
            users.one = body->stms[i];
        }
    }
    return users;
}

/* The only statement of the fold that uses chunk number `input`, or the statement itself. */
static const CoreStm *taker_of(Fuse *f, const CoreStm *stm, size_t input)
{
    if (!fuse_is_stream(stm)) {
        return stm;
    }
    const CoreLambda *fold = stm->exp->as.stream.fold;
    const CoreName *chunk = fold->parameters[1 + stm->exp->as.stream.accumulator_count + input];
    Users users = users_of(fold->body, chunk);
    bool good = users.count == 1 && !fuse_is_result(fold->body, chunk) &&
                fuse_takes_rows_of(f, users.one, chunk);
    return good ? users.one : NULL;
}

static bool is_scanned(const CoreStm *maker, const CoreName *name)
{
    const CoreSoac *soac = &maker->exp->as.soac;
    size_t scanned = fuse_total_width(soac->reduction_count, soac->reductions) +
                     fuse_total_width(soac->scan_count, soac->scans);
    size_t at = 0;
    while (maker->pattern[at] != name) {
        at++;
    }
    return at < scanned;
}

/* A scan of a parallel stream's fold, and a SOAC that takes its rows: one loop (folds.c), if nothing
   else of the fold needs the rows. */
static bool are_one_loop(const Fuse *f, const CoreStm *first, const CoreStm *second,
                         const CoreStm *maker, const CoreName *rows)
{
    return first->exp->kind != CORE_EXP_STREAM_SEQ && !fuse_is_stream(second) &&
           fuse_is_streamable(f, maker) && fuse_is_streamable(f, second) &&
           users_of(first->exp->as.stream.fold->body, rows).count == 0;
}

/* What is handed over is made by one SOAC and taken by one, and they become one. */
static CoreReason handing(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    size_t count, handed = 0;
    const CoreAtom *inputs = fuse_inputs_of(second, &count);
    const CoreStm *maker = NULL, *taker = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t result = fuse_handed_over(first, inputs[i]);
        if (result == SIZE_MAX) {
            continue;
        }
        const CoreStm *made = maker_of(first, result), *taken = taker_of(f, second, i);
        if (!fuse_is_soac(made) || !fuse_is_soac(taken) || (handed > 0 && made != maker) ||
            (handed > 0 && taken != taker)) {
            return CORE_REASON_CHUNK;
        }
        const CoreName *rows = made_as(first, result);
        if (is_scanned(made, rows) && !are_one_loop(f, first, second, made, rows)) {
            return CORE_REASON_SCAN;
        }
        maker = made;
        taker = taken;
        handed++;
    }
    if (handed == 0) {
        return fuse_is_stream(first) && fuse_is_stream(second) ? CORE_REASON_NONE
                                                               : CORE_REASON_CHUNK;
    }
    FuseNest x = fuse_nest(maker), y = fuse_nest(taker);
    return fuse_same_inside(&x, &y) ? CORE_REASON_NONE : CORE_REASON_NESTS;
}

/* Streams whose accumulators are arrays have fewer chunks than others: each work-item has memory for
   them (backend/lower/streams_parallel.c). */
static CoreReason why_two_streams(const CoreStm *first, const CoreStm *second)
{
    bool x = first->exp->kind == CORE_EXP_STREAM_SEQ, y = second->exp->kind == CORE_EXP_STREAM_SEQ;
    if (x != y) {
        return CORE_REASON_KINDS;
    }
    return x || has_arrays(first, first->exp->as.stream.accumulator_count) ==
                       has_arrays(second, second->exp->as.stream.accumulator_count)
               ? CORE_REASON_NONE
               : CORE_REASON_CHUNKS;
}

CoreReason fuse_fit_as_streams(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    bool parallel =
        first->exp->kind != CORE_EXP_STREAM_SEQ && second->exp->kind != CORE_EXP_STREAM_SEQ;
    CoreReason reason = fuse_is_stream(first) && fuse_is_stream(second)
                            ? why_two_streams(first, second)
                            : CORE_REASON_NONE;
    reason = reason != CORE_REASON_NONE ? reason : why_alone(f, first, parallel);
    reason = reason != CORE_REASON_NONE ? reason : why_alone(f, second, parallel);
    return reason != CORE_REASON_NONE ? reason : handing(f, first, second);
}
