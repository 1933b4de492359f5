/* [PLDI 4.3] What a work-item does row after row: the fold of a parallel stream, which goes over its
   chunk, and the function of a map of which no nests were made. There a scan and what takes its rows
   are one loop, as they are in a sequential program (streams.c), and the memory for the scanned rows
   goes; with memory that grows with its chunk a fold could not be a kernel.

       \(m, a, xc) ->                             \(m, a, xc) ->
         let yc = scan m (+) 0 xc          ==>      let (_, b) = loop (y = 0, b = 0) for i < m do
         let b = reduce m max 0 yc                                let y' = y + xc[i]
         in max a b                                               in (y', max b y')
                                                    in max a b

   This is [PLDI] figure 10c with the inner stream_seq as a loop. Where the scanned rows are used
   otherwise, too, the fold stays as it is; so does a function that makes arrays of sizes of its own:
   both are better done by kernels for each SOAC. */
#include "core/fuse/fuse.h"

enum { MOST_STATEMENTS = 500 };

static bool is_one_of(const CoreBody *body, const CoreStm *stm)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i] == stm) {
            return true;
        }
    }
    return false;
}

typedef struct Stored {
    PointerMap rows; /* arrays that new loops make, which are no results */
    bool found;
} Stored;

static void find_stored(void *context, CoreName *name)
{
    Stored *stored = context;
    stored->found = stored->found || pointer_map_get(&stored->rows, name) != NULL;
}

/* Whether something still needs an array that one of the new loops makes. */
static bool needs_memory(Fuse *f, const CoreBody *old, const CoreBody *body)
{
    Stored stored = {0};
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        core_each_free(stm, find_stored, &stored);
        bool is_new = stm->exp->kind == CORE_EXP_LOOP && !is_one_of(old, stm);
        for (size_t k = 0; is_new && k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank > 0 && !fuse_is_result(body, stm->pattern[k])) {
                pointer_map_set(f->c->arena, &stored.rows, stm->pattern[k], &stored);
            }
        }
    }
    return stored.found;
}

static const CoreBody *with_loops(Fuse *f, const CoreBody *old)
{
    size_t *counts = f->counts, tried[CORE_RULE_COUNT] = {0};
    bool changed = f->changed;
    FuseLog *log = f->log;
    if (old->stm_count > MOST_STATEMENTS) {
        return old;
    }
    f->counts = tried;
    f->changed = false;
    f->log = NULL;
    f->in_order = f->in_item = true;
    const CoreBody *body = fuse_graph(f, old);
    bool good = f->changed && !needs_memory(f, old, body);
    f->in_order = f->in_item = false;
    f->log = log;
    f->changed = changed;
    f->counts = counts;
    if (!good) {
        f->lasts = (PointerMap){0};
        return old;
    }
    fuse_fired(f, CORE_RULE_FUSE_STREAM);
    return body;
}

static const CoreBody *folds_of(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = core_map_stm(f->c, old->stms[i], folds_of, f);
        if (fuse_is_stream(stms[i]) && stms[i]->exp->kind != CORE_EXP_STREAM_SEQ) {
            CoreStm *stm = arena_copy(f->c->arena, stms[i], sizeof *stm);
            CoreExp *exp = core_exp_copy(f->c, stm->exp);
            CoreLambda *fold = arena_copy(f->c->arena, exp->as.stream.fold, sizeof *fold);
            fold->body = with_loops(f, fold->body);
            exp->as.stream.fold = fold;
            stm->exp = exp;
            stms[i] = stm;
        }
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

/* A SOAC of the host, whose function is left to work-items. */
static const CoreStm *items_of_stm(Fuse *f, const CoreStm *old)
{
    const CoreLambda *map = old->exp->as.soac.map;
    if (map->parameter_count == 0 || fuse_makes_own_sizes(f, map, NULL) ||
        fuse_is_paired_nest(old)) {
        return old;
    }
    CoreStm *stm = arena_copy(f->c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(f->c, old->exp);
    CoreLambda *lambda = arena_copy(f->c->arena, map, sizeof *lambda);
    lambda->body = with_loops(f, map->body);
    exp->as.soac.map = lambda;
    stm->exp = exp;
    return stm;
}

static const CoreBody *items_of(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = old->stms[i];
        if (fuse_is_soac(stms[i])) {
            stms[i] = items_of_stm(f, stms[i]);
        } else if (stms[i]->exp->kind == CORE_EXP_IF || stms[i]->exp->kind == CORE_EXP_LOOP) {
            CoreStm *stm = arena_copy(f->c->arena, stms[i], sizeof *stm);
            stm->exp = core_map_bodies(f->c, stm->exp, items_of, f);
            stms[i] = stm;
        }
    }
    CoreBody *body = arena_copy(f->c->arena, old, sizeof *old);
    body->stms = stms;
    return body;
}

const CoreFunction *fuse_work_items(Fuse *f, const CoreFunction *function)
{
    CoreFunction *done = arena_copy(f->c->arena, function, sizeof *function);
    done->body = items_of(f, function->body);
    return done;
}

const CoreFunction *fuse_folds(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, folds_of(f, function->body));
}
