/* [REDO 3.2] Histograms of one width that go by one list of places become one, where the later of them stands:

       let sums = hist n (s) places (xs) (+) 0          let (sums, counts) = hist n (s, c) places (xs, ones)
       let counts = hist n (c) places (ones) (+) 0  ==>   (\u v x y -> (u + x, v + y)) (0, 0)

   The places are read, or computed, once. Legal where nothing from the earlier one on uses what it makes, or writes in
   place what it reads. Both of scalars, with operators that devices have as atomics, so that one work-group still has
   both in local memory. */
#include "core/fuse/fuse.h"

typedef struct Histograms {
    Fuse *f;
    const CoreStm *first;
    bool writes; /* what is looked at now may write in place */
    bool meets;  /* it uses what the first makes, or writes what it reads */
} Histograms;

/* A histogram of scalars with an operator on two of them. */
static bool is_simple(const CoreStm *stm)
{
    CoreOperator ignored;
    return fuse_is_scatter(stm) && stm->exp->kind == CORE_EXP_HIST &&
           stm->exp->as.scatter.count == 1 && stm->pattern[0]->type.rank == 1 &&
           core_is_operator(stm->exp->as.scatter.op, &ignored);
}

static bool go_by_one_list(const CoreStm *x, const CoreStm *y)
{
    return core_atom_equal(x->exp->as.scatter.width, y->exp->as.scatter.width) &&
           core_atom_equal(x->exp->as.scatter.indices, y->exp->as.scatter.indices) &&
           core_atom_equal(x->pattern[0]->type.sizes[0], y->pattern[0]->type.sizes[0]);
}

/* ---- what stands between ------------------------------------------------------------------- */

static bool may_share(Fuse *f, const CoreName *x, const CoreName *y)
{
    return x == y ||
           (x->type.rank > 0 && y->type.rank > 0 &&
            simplify_class(simplify_fact(f->s, x)) == simplify_class(simplify_fact(f->s, y)));
}

typedef struct Shared {
    Fuse *f;
    const CoreName *name;
    bool found;
} Shared;

static void find_shared(void *context, CoreName *name)
{
    Shared *shared = context;
    shared->found = shared->found || may_share(shared->f, shared->name, name);
}

static void look_at(void *context, CoreName *name)
{
    Histograms *h = context;
    Shared read = {h->f, name, false};
    if (h->writes && name->type.rank > 0) {
        core_each_free(h->first, find_shared, &read);
    }
    h->meets = h->meets || read.found || may_share(h->f, h->first->pattern[0], name);
}

static bool meets(Fuse *f, const CoreStm *first, const CoreStm *stm)
{
    Histograms h = {.f = f, .first = first, .writes = fuse_may_consume(stm->exp)};
    core_each_free(stm, look_at, &h);
    return h.meets;
}

/* The later histogram writes nothing that the first reads, and reads nothing of what that makes. */
static bool are_apart(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    Shared written = {f, second->exp->as.scatter.destinations[0].name, false};
    Shared made = {f, first->pattern[0], false};
    core_each_free(first, find_shared, &written);
    core_each_free(second, find_shared, &made);
    return !written.found && !made.found;
}

/* The number of the later histogram that becomes one with the first; as many as the body has: none does. */
static size_t partner(Fuse *f, const CoreBody *body, const bool *taken, size_t first)
{
    const CoreStm *stm = body->stms[first];
    for (size_t i = first + 1; i < body->stm_count; i++) {
        const CoreStm *other = body->stms[i];
        if (!taken[i] && is_simple(other) && go_by_one_list(stm, other) &&
            are_apart(f, stm, other)) {
            return i;
        }
        if (meets(f, stm, other)) {
            break;
        }
    }
    return body->stm_count;
}

/* ---- one of two ------------------------------------------------------------------------------ */

/* \u v x y -> (f u x, g v y) */
static const CoreLambda *both_operators(Compilation *c, const CoreLambda *f, const CoreLambda *g,
                                        Span span)
{
    CoreName *parameters[] = {f->parameters[0], g->parameters[0], f->parameters[1],
                              g->parameters[1]};
    CoreBuilder b = core_builder(c, span);
    core_add_all(&b, f->body);
    core_add_all(&b, g->body);
    CoreAtom results[] = {f->body->results[0], g->body->results[0]};
    return core_lambda(c, 4, parameters, core_body(&b, 2, results));
}

static const CoreStm *both(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    Compilation *c = f->c;
    const CoreExp *x = first->exp, *y = second->exp;
    CoreAtom destinations[] = {x->as.scatter.destinations[0], y->as.scatter.destinations[0]};
    CoreAtom values[] = {x->as.scatter.values[0], y->as.scatter.values[0]};
    CoreAtom neutral[] = {x->as.scatter.neutral[0], y->as.scatter.neutral[0]};
    CoreStm *stm = arena_copy(c->arena, second, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, 2);
    pattern[0] = first->pattern[0];
    pattern[1] = second->pattern[0];
    stm->pattern = pattern;
    stm->pattern_count = 2;
    stm->certificates = fuse_certificates(c, first, second, &stm->certificate_count);
    stm->exp =
        core_exp_hist(c, x->as.scatter.width, 2, destinations, x->as.scatter.indices, values,
                      both_operators(c, x->as.scatter.op, y->as.scatter.op, second->span), neutral);
    fuse_log_done(f, CORE_RULE_FUSE_HORIZONTAL, first, second, x->as.scatter.indices.name);
    fuse_fired(f, CORE_RULE_FUSE_HORIZONTAL);
    return stm;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    const CoreStm **firsts = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    bool *taken = ARENA_ARRAY(f->arena, bool, old->stm_count + 1);
    memset(firsts, 0, old->stm_count * sizeof *firsts);
    memset(taken, 0, old->stm_count * sizeof *taken);
    size_t count = 0;
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        size_t other = !taken[i] && is_simple(stm) ? partner(f, old, taken, i) : old->stm_count;
        if (other < old->stm_count) {
            firsts[other] = stm;
            taken[other] = true;
        } else if (firsts[i]) {
            stms[count++] = both(f, firsts[i], stm);
        } else {
            bool inside = core_has_bodies(stm->exp->kind) && stm->exp->kind != CORE_EXP_HIST;
            stms[count++] = inside ? core_map_stm(f->c, stm, in_body, f) : stm;
        }
    }
    return core_with_stms(f->c, old, count, stms);
}

const CoreFunction *fuse_histograms(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, in_body(f, function->body));
}
