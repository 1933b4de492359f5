/* [REDO 3.2] Histograms of one width that go by one list of places become one, where the later of them stands:

       let sums = hist n (s) places (xs) (+) 0          let (sums, counts) = hist n (s, c) places (xs, ones)
       let counts = hist n (c) places (ones) (+) 0  ==>   (\u v x y -> (u + x, v + y)) (0, 0)

   The places are read, or computed, once. Legal where nothing from the earlier one on uses what it makes, or writes in
   place what it reads. All of scalars, with operators that devices have as atomics, and so many at most that one
   work-group still has them in local memory. */
#include "core/fuse/fuse.h"

enum { MOST_HISTOGRAMS = 4 };

static size_t count_of(const CoreStm *stm)
{
    return stm->exp->as.scatter.count;
}

typedef struct Histograms {
    Fuse *f;
    const CoreStm *first;
    bool writes; /* what is looked at now may write in place */
    bool meets;  /* it uses what the first makes, or writes what it reads */
} Histograms;

/* One of scalars, each with an operator on two of them. */
static bool is_simple(const CoreStm *stm)
{
    if (!fuse_is_scatter(stm) || stm->exp->kind != CORE_EXP_HIST)
        return false;
    for (size_t k = 0; k < count_of(stm); k++) {
        CoreOperator ignored;
        if (stm->pattern[k]->type.rank != 1 ||
            !core_operator_of(stm->exp->as.scatter.op, k, &ignored)) {
            return false;
        }
    }
    return true;
}

static bool go_by_one_list(const CoreStm *x, const CoreStm *y)
{
    return count_of(x) + count_of(y) <= MOST_HISTOGRAMS &&
           core_atom_equal(x->exp->as.scatter.width, y->exp->as.scatter.width) &&
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
    h->meets = h->meets || read.found;
    for (size_t k = 0; k < count_of(h->first); k++) {
        h->meets = h->meets || may_share(h->f, h->first->pattern[k], name);
    }
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
    for (size_t k = 0; k < count_of(second); k++) {
        Shared written = {f, second->exp->as.scatter.destinations[k].name, false};
        core_each_free(first, find_shared, &written);
        if (written.found)
            return false;
    }
    for (size_t k = 0; k < count_of(first); k++) {
        Shared made = {f, first->pattern[k], false};
        core_each_free(second, find_shared, &made);
        if (made.found)
            return false;
    }
    return true;
}

/* The number of the later histogram that becomes one with the first, which stands at `at`, or stands for what does; as
   many as the body has: none does. `firsts` is what others have become one with already. */
static size_t partner(Fuse *f, const CoreBody *body, const CoreStm *const *firsts, size_t at,
                      const CoreStm *first)
{
    for (size_t i = at + 1; i < body->stm_count; i++) {
        const CoreStm *other = body->stms[i];
        if (!firsts[i] && is_simple(other) && go_by_one_list(first, other) &&
            are_apart(f, first, other)) {
            return i;
        }
        if (meets(f, first, other)) {
            break;
        }
    }
    return body->stm_count;
}

/* ---- one of two ------------------------------------------------------------------------------ */

static const CoreAtom *joined(Compilation *c, size_t m, const CoreAtom *first, size_t n,
                              const CoreAtom *second)
{
    CoreAtom *atoms = ARENA_ARRAY(c->arena, CoreAtom, m + n);
    memcpy(atoms, first, m * sizeof *atoms);
    memcpy(atoms + m, second, n * sizeof *atoms);
    return atoms;
}

/* \us vs xs ys -> (f us xs, g vs ys) */
static const CoreLambda *both_operators(Compilation *c, const CoreLambda *f, const CoreLambda *g,
                                        Span span)
{
    size_t m = f->body->result_count, n = g->body->result_count, count = 0;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 2 * (m + n));
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < m; k++) {
            parameters[count++] = f->parameters[part * m + k];
        }
        for (size_t k = 0; k < n; k++) {
            parameters[count++] = g->parameters[part * n + k];
        }
    }
    CoreBuilder b = core_builder(c, span);
    core_add_all(&b, f->body);
    core_add_all(&b, g->body);
    return core_lambda(c, count, parameters,
                       core_body(&b, m + n, joined(c, m, f->body->results, n, g->body->results)));
}

static const CoreStm *both(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    Compilation *c = f->c;
    const CoreExp *x = first->exp, *y = second->exp;
    size_t m = count_of(first), n = count_of(second);
    CoreStm *stm = arena_copy(c->arena, second, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, m + n);
    memcpy(pattern, first->pattern, m * sizeof *pattern);
    memcpy(pattern + m, second->pattern, n * sizeof *pattern);
    stm->pattern = pattern;
    stm->pattern_count = m + n;
    stm->certificates = fuse_certificates(c, first, second, &stm->certificate_count);
    stm->exp = core_exp_hist(
        c, x->as.scatter.width, m + n,
        joined(c, m, x->as.scatter.destinations, n, y->as.scatter.destinations),
        x->as.scatter.indices, joined(c, m, x->as.scatter.values, n, y->as.scatter.values),
        both_operators(c, x->as.scatter.op, y->as.scatter.op, second->span),
        joined(c, m, x->as.scatter.neutral, n, y->as.scatter.neutral));
    fuse_log_done(f, CORE_RULE_FUSE_HORIZONTAL, first, second, x->as.scatter.indices.name);
    fuse_fired(f, CORE_RULE_FUSE_HORIZONTAL);
    return stm;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    const CoreStm **firsts = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    memset(firsts, 0, old->stm_count * sizeof *firsts);
    size_t count = 0;
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = firsts[i] ? both(f, firsts[i], old->stms[i]) : old->stms[i];
        size_t other = is_simple(stm) ? partner(f, old, firsts, i, stm) : old->stm_count;
        if (other < old->stm_count) {
            firsts[other] = stm;
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
