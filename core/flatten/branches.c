/* Reductions that stand in branches, in the function of a map:

       map n (\xs -> {                                map n (\xs -> {
         let s = reduce k + 0 xs                        let (s, t, u) = redomap k (\x -> (x, x * x, x)) (+, +, max) xs
         let r = if s > 5 then {                        let r = if s > 5 then { in (t) } else { in (u) }
           let t = redomap k (\x -> x * x) + 0 xs ==>   in (r) })
           in (t)
         } else {
           let u = reduce k max m xs  in (u)
         } in (r) })

   A branch belongs to one work-item, which goes through such a reduction by itself, a row of k elements, and its
   neighbours through other rows. In front of the branches it gets work-items of its own like any other; where all
   read the row, it is read once. That those whose turn it is not are computed, too, is what it costs: a pass over
   the row at most, for they may have no SOACs in their functions. They are total: nothing in them can fail, be out
   of bounds, or write in place; what else stands in the branches is scalar, and stays there. What is not total, scans,
   and rows that branches give: guarded.c. Sequential C, and the version for rows that are few, have the branches as they
   were. */
#include "core/flatten/flatten.h"

/* SOACs of one `if`; statements of a branch; statements among which an earlier reduction is looked for. */
enum { MOST_LIFTED = 8, MOST_STATEMENTS = 64, MOST_BEFORE = 256 };

typedef struct Lift {
    Flatten *f;
    const MapContext *m; /* of the statement of the host: all names bound in it */
} Lift;

/* ---- what may leave a branch --------------------------------------------------------------- */

static bool all_scalars(const CoreStm *stm)
{
    bool good = true;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        good = good && stm->pattern[k]->type.rank == 0;
    }
    return good;
}

bool flatten_is_total_reduction(const MapContext *m, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || !flatten_is_parallel(m, stm) || !all_scalars(stm) ||
        stm->certificate_count > 0) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    bool good =
        soac->scan_count == 0 && soac->reduction_count > 0 && fuse_is_total(soac->map->body);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        good = good && fuse_is_total(soac->reductions[i].function->body);
    }
    return good;
}

/* ---- one branch ---------------------------------------------------------------------------- */

/* Statements of a branch, by whether they leave it. */
typedef struct Branch {
    const CoreBody *body; /* with what has left branches of its own */
    bool *leaves;
    size_t at;    /* the statement whose names are looked for */
    bool *needed; /* of earlier ones, by what leaves */
} Branch;

static void note_needed(void *context, CoreName *name)
{
    Branch *branch = context;
    for (size_t i = 0; i < branch->at; i++) {
        branch->needed[i] = branch->needed[i] || core_stm_binds(branch->body->stms[i], name);
    }
}

static bool lift_all(Lift *lift, const CoreStm *stm, CoreBuilder *lifted, CoreBuilder *stays);

/* All SOACs of the branch can leave it, and what they need: goes to `lifted`, in its order. */
static bool lift_branch(Lift *lift, const CoreBody *old, CoreBuilder *lifted, const CoreBody **rest)
{
    Compilation *c = lift->f->c;
    CoreBuilder all = core_builder(c, (Span){0}), left = core_builder(c, (Span){0});
    if (old->stm_count > MOST_STATEMENTS) {
        return false;
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (stm->exp->kind != CORE_EXP_IF) {
            core_add(&all, stm);
        } else if (!lift_all(lift, stm, &all, &all)) {
            return false;
        }
    }
    Branch branch = {.body = core_body(&all, old->result_count, old->results)};
    size_t count = branch.body->stm_count;
    branch.leaves = ARENA_ARRAY(c->arena, bool, count + 1);
    branch.needed = ARENA_ARRAY(c->arena, bool, count + 1);
    for (size_t i = count; i-- > 0;) {
        const CoreStm *stm = branch.body->stms[i];
        bool soac = stm->exp->kind != CORE_EXP_IF && core_has_bodies(stm->exp->kind);
        branch.leaves[i] = soac || branch.needed[i];
        if (!branch.leaves[i]) {
            continue;
        }
        if (!(soac ? flatten_is_total_reduction(lift->m, stm) : fuse_is_total_stm(stm))) {
            return false;
        }
        branch.at = i;
        core_each_free(stm, note_needed, &branch);
    }
    for (size_t i = 0; i < count; i++) {
        core_add(branch.leaves[i] ? lifted : &left, branch.body->stms[i]);
    }
    *rest = core_body(&left, old->result_count, old->results);
    return true;
}

static size_t count_soacs(const CoreBuilder *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->stms.count; i++) {
        count += b->stms.items[i]->exp->kind == CORE_EXP_SOAC;
    }
    return count;
}

/* An `if` with all of its SOACs in front of it; false, and nothing added, where that cannot be. One without SOACs stays as
   it is. */
static bool lift_all(Lift *lift, const CoreStm *stm, CoreBuilder *lifted, CoreBuilder *stays)
{
    const CoreExp *exp = stm->exp;
    CoreBuilder out = core_builder(lift->f->c, stm->span);
    const CoreBody *then_rest, *else_rest;
    if (!all_scalars(stm) || stm->certificate_count > 0 ||
        !lift_branch(lift, exp->as.conditional.then_body, &out, &then_rest) ||
        !lift_branch(lift, exp->as.conditional.else_body, &out, &else_rest) ||
        count_soacs(&out) > MOST_LIFTED) {
        return false;
    }
    CoreStm *rest = arena_copy(lift->f->c->arena, stm, sizeof *stm);
    rest->exp = core_exp_if(lift->f->c, exp->as.conditional.condition, then_rest, else_rest);
    for (size_t i = 0; i < out.stms.count; i++) {
        core_add(lifted, out.stms.items[i]);
    }
    core_add(stays, out.stms.count > 0 ? rest : stm);
    return true;
}

/* ---- one pass over what several read ------------------------------------------------------- */

static bool reads_the_same(const CoreSoac *a, const CoreSoac *b)
{
    for (size_t i = 0; i < a->input_count; i++) {
        for (size_t k = 0; k < b->input_count; k++) {
            if (core_atom_equal(a->inputs[i], b->inputs[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool only_reduces(const CoreStm *stm)
{
    return fuse_is_soac(stm) && stm->certificate_count == 0 && all_scalars(stm) &&
           stm->exp->as.soac.scan_count == 0 && stm->exp->as.soac.reduction_count > 0 &&
           !core_may_fail(stm);
}

typedef struct Earliest {
    const CoreBuilder *b;
    size_t after; /* from this statement on all that the SOAC uses is bound */
} Earliest;

static void find_binding(void *context, CoreName *name)
{
    Earliest *earliest = context;
    for (size_t i = earliest->b->stms.count; i-- > earliest->after;) {
        if (core_stm_binds(earliest->b->stms.items[i], name)) {
            earliest->after = i + 1;
        }
    }
}

/* Into an earlier reduction of the same rows, if there is one. */
static void add_merged(Lift *lift, CoreBuilder *b, const CoreStm *stm)
{
    Fuse fuse = {.c = lift->f->c, .arena = lift->f->c->arena};
    size_t count = b->stms.count;
    Earliest earliest = {.b = b, .after = count > MOST_BEFORE ? count - MOST_BEFORE : 0};
    core_each_free(stm, find_binding, &earliest);
    for (size_t i = earliest.after; i < b->stms.count && only_reduces(stm); i++) {
        const CoreStm *earlier = b->stms.items[i];
        if (only_reduces(earlier) &&
            core_atom_equal(earlier->exp->as.soac.width, stm->exp->as.soac.width) &&
            reads_the_same(&earlier->exp->as.soac, &stm->exp->as.soac)) {
            b->stms.items[i] = fuse_merge(&fuse, earlier, stm);
            return;
        }
    }
    core_add(b, stm);
}

/* ---- all of a function --------------------------------------------------------------------- */

static const CoreBody *without(Lift *lift, const CoreBody *old);

/* The function of a map, or the body of a loop that a map can go into, with what is in it. */
static const CoreStm *within(Lift *lift, const CoreStm *stm)
{
    Compilation *c = lift->f->c;
    const CoreExp *exp = stm->exp;
    const CoreBody *body = fuse_is_soac(stm) ? exp->as.soac.map->body
                           : exp->kind == CORE_EXP_LOOP && exp->as.loop.index &&
                                   flatten_is_invariant(lift->m, exp->as.loop.bound)
                               ? exp->as.loop.body
                               : NULL;
    const CoreBody *done = body ? without(lift, body) : NULL;
    if (done == body) {
        return stm;
    }
    CoreStm *with = arena_copy(c->arena, stm, sizeof *stm);
    CoreExp *copy = core_exp_copy(c, exp);
    if (exp->kind == CORE_EXP_LOOP) {
        copy->as.loop.body = done;
    } else {
        CoreLambda *lambda = arena_copy(c->arena, exp->as.soac.map, sizeof *lambda);
        lambda->body = done;
        copy->as.soac.map = lambda;
    }
    with->exp = copy;
    return with;
}

/* False, and nothing added, where nothing leaves a branch. */
static bool lift_some(Lift *lift, const CoreStm *stm, CoreBuilder *lifted, CoreBuilder *rest)
{
    return lift_all(lift, stm, lifted, rest) ? count_soacs(lifted) > 0
                                             : flatten_guarded(lift->m, stm, lifted, rest);
}

/* The body itself where nothing leaves a branch. */
static const CoreBody *without(Lift *lift, const CoreBody *old)
{
    bool changed = false;
    CoreBuilder b = core_builder(lift->f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreBuilder lifted = core_builder(lift->f->c, stm->span), rest = lifted;
        if (stm->exp->kind != CORE_EXP_IF) {
            const CoreStm *done = within(lift, stm);
            changed = changed || done != stm;
            core_add(&b, done);
        } else if (!lift_some(lift, stm, &lifted, &rest)) {
            core_add(&b, stm);
        } else {
            for (size_t k = 0; k < lifted.stms.count; k++) {
                add_merged(lift, &b, lifted.stms.items[k]);
            }
            for (size_t k = 0; k < rest.stms.count; k++) {
                core_add(&b, rest.stms.items[k]);
            }
            lift->f->counts[CORE_RULE_FLATTEN_BRANCHES]++;
            changed = true;
        }
    }
    return changed ? core_body(&b, old->result_count, old->results) : old;
}

const CoreStm *flatten_branches(Flatten *f, const CoreStm *stm)
{
    MapContext m = flatten_context(f, NULL, stm, stm->exp->as.soac.map->body);
    Lift lift = {.f = f, .m = &m};
    return within(&lift, stm);
}
