/* SOACs in branches that cannot be done whichever branch is taken, in the function of a map: in front of the branches,
   with the condition in their functions.

       let r = if c then {                            let t = soac k (\i -> if c then { in (xs[1 + i]) } else { in (0) })
         let ys = xs[1 :+ k * 1]                        scan + 0 (iota k)
         let t = scan k + 0 ys              ==>       let r = reduce k (\t -> if c then { in (t) } else { in (-inf) }) max
         let u = reduce k max (-inf) t                  (-inf) t
         in (u) } else { in (0) }                     let q = if c then { in (r) } else { in (0) }

   So they get work-items of their own, as in branches.c, and where another branch is taken these have nothing to do.
   Scalars and views of the branch, which may be out of bounds where it is not taken, are computed again in the function,
   behind the condition; what a branch checks is checked where it is taken. A row that a branch gives is chosen by its
   elements. A loop around SOACs is one in front of the branches, too, that rows which do not take the branch go through no
   time. Nothing in the branches is written in place. */
#include "core/flatten/guarded.h"

/* SOACs of one `if`, those inside others too: where another branch is taken, each is a launch for nothing. */
enum { MOST_LIFTED = 24 };

/* For what nobody reads; as a place of a scatter it is none. */
static CoreAtom no_element(CorePrim prim)
{
    return prim == CORE_I64 ? core_i64(-1) : core_zero(prim);
}

/* What the function gives where the branch is not taken. */
static const CoreBody *nothing(Guarded *g, const CoreSoac *soac, Span span)
{
    Compilation *c = g->f->c;
    CoreBuilder b = core_builder(c, span);
    size_t count = soac->map->body->result_count, at = 0;
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        const CoreReduction *fold = flatten_fold(soac, i);
        for (size_t k = 0; k < fold->function->body->result_count; k++) {
            results[at++] = fold->neutral[k];
        }
    }
    for (; at < count; at++) {
        results[at] = no_element(soac->map->result_types[at].prim);
    }
    return core_body(&b, count, results);
}

/* Operators and their neutral elements have nothing of the branch. */
static bool has_outer_operators(const Guarded *g, const CoreStm *stm)
{
    CoreStm alone = *stm;
    CoreExp exp = *stm->exp;
    exp.as.soac.input_count = 0;
    exp.as.soac.inputs = NULL;
    exp.as.soac.map = core_identity_lambda(g->f->c, 0, NULL);
    alone.exp = &exp;
    return !guarded_mentions_local(g, &alone);
}

static bool has_scalar_results(const CoreLambda *function)
{
    bool good = true;
    for (size_t k = 0; k < function->body->result_count; k++) {
        good = good && function->result_types[k].rank == 0;
    }
    return good;
}

/* soac k f op xs  ==>  soac k (\x -> if c then { f x } else { the neutral element }) op xs */
static bool lift_flat(Guarded *g, const CoreStm *stm, CoreAtom condition)
{
    Compilation *c = g->f->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, stm->span);
    GuardedAgain a = guarded_again(g);
    GuardedRows rows = {.position = core_i64(0)};
    core_each_free(stm, guarded_need_name, &a);
    if (!guarded_compute(&a, &b, renaming)) {
        return false;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!guarded_add_row(g, &rows, soac->width, soac->inputs[i], soac->map->parameters[i], &b,
                             renaming)) {
            return false;
        }
    }
    if (rows.inputs.count == 0 && !guarded_add_positions(g, &rows, soac->width)) {
        return false;
    }
    const CoreBody *old = soac->map->body;
    for (size_t i = 0; i < old->stm_count; i++) {
        core_add(&b, core_rename_stm(renaming, old->stms[i]));
    }
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, old->result_count + 1);
    for (size_t k = 0; k < old->result_count; k++) {
        results[k] = core_renamed(renaming, old->results[k]);
    }
    const CoreExp *choice = core_exp_if(c, condition, core_body(&b, old->result_count, results),
                                        nothing(g, soac, stm->span));
    g->lifted->span = stm->span;
    flatten_push_certificates(g->lifted, stm);
    core_bind(g->lifted, stm->pattern_count, stm->pattern,
              core_exp_soac(c, soac->width, rows.inputs.count, rows.inputs.items,
                            guarded_function(g, &rows, old->result_count, soac->map->result_types,
                                             choice, stm->span),
                            soac->reduction_count, soac->reductions, soac->scan_count,
                            soac->scans));
    g->lifted->certificates.count -= stm->certificate_count;
    return true;
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* assert p  ==>  assert (if c then { p } else { true }): in front of all, as its SOACs are, which may rely on it. */
static bool lift_check(Guarded *g, const CoreStm *stm, CoreAtom condition)
{
    Compilation *c = g->f->c;
    size_t count = stm->exp->as.assertion.value_count;
    CoreExp *assertion = core_exp_copy(c, stm->exp);
    CoreAtom *values = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom holds;
    g->lifted->span = stm->span;
    for (size_t k = 0; k < count; k++) {
        CoreAtom value = stm->exp->as.assertion.values[k];
        if (!guarded_scalar(g, "shown", condition, value, core_zero(core_atom_type(value).prim),
                            &values[k])) {
            return false;
        }
    }
    if (!guarded_scalar(g, "ok", condition, stm->exp->as.assertion.condition, core_bool(true),
                        &holds)) {
        return false;
    }
    if (!guarded_is_local(g, stm->exp->as.assertion.condition)) {
        CoreAtom untaken = core_let_unary(g->lifted, "not", CORE_NOT, condition);
        holds = core_let_binary(g->lifted, "ok", CORE_OR, holds, untaken);
    }
    assertion->as.assertion.condition = holds;
    assertion->as.assertion.values = values;
    CoreStm *check = arena_copy(c->arena, stm, sizeof *stm);
    check->exp = assertion;
    core_add(g->lifted, check);
    return true;
}

/* The condition of an `if` in a branch, and that of its other branch, behind that branch's own. */
static bool lift_condition(Guarded *g, CoreAtom outer, CoreAtom inner, CoreAtom *taken,
                           CoreAtom *other)
{
    CoreAtom is;
    if (!guarded_scalar(g, "taken", outer, inner, core_bool(false), &is)) {
        return false;
    }
    CoreAtom is_not = core_let_unary(g->lifted, "not", CORE_NOT, is);
    *taken = core_let_binary(g->lifted, "taken", CORE_AND, outer, is);
    *other = core_let_binary(g->lifted, "taken", CORE_AND, outer, is_not);
    return true;
}

/* ---- nests ----------------------------------------------------------------------------------- */

static bool lift_body(Guarded *g, const CoreBody *old, CoreAtom condition, CoreBuilder *rest);

static bool has_nests(const Guarded *g, const CoreBody *body)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        found = found || flatten_is_parallel(g->m, body->stms[i]);
    }
    return found;
}

/* The results of the function: scalars where the branch is taken, and rows that SOACs in it make. */
static bool lift_results(Guarded *g, const CoreBody *body, CoreAtom condition, const CoreBody *none,
                         CoreAtom *results)
{
    for (size_t k = 0; k < body->result_count; k++) {
        CoreType type = core_atom_type(body->results[k]);
        results[k] = body->results[k];
        if (guarded_is_nothing(g, results[k]) ||
            (guarded_is_local(g, results[k]) &&
             (type.rank > 0 ||
              !guarded_scalar(g, "kept", condition, results[k], none->results[k], &results[k])))) {
            return false;
        }
    }
    return true;
}

/* map k (\x -> { .. soac l f .. })  ==>  map k (\x -> { .. soac l (if c then f) .. }):  the SOACs inside keep work-items of
   their own. */
static bool lift_nest(Guarded *g, const CoreStm *stm, CoreAtom condition)
{
    Compilation *c = g->f->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *old = soac->map->body;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (guarded_is_local(g, soac->inputs[i])) {
            return false;
        }
    }
    CoreBuilder *outside = g->lifted;
    CoreBuilder inside = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, old->result_count + 1);
    size_t before = g->local.count, first = g->first;
    g->lifted = &inside;
    g->first = 0;
    bool good = lift_body(g, old, condition, NULL) &&
                lift_results(g, old, condition, nothing(g, soac, stm->span), results);
    g->lifted = outside;
    g->local.count = before;
    g->first = first;
    if (!good) {
        return false;
    }
    CoreStm *lifted = arena_copy(c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, stm->exp);
    CoreLambda *function = arena_copy(c->arena, soac->map, sizeof *function);
    function->body = core_body(&inside, old->result_count, results);
    exp->as.soac.map = function;
    lifted->exp = exp;
    core_add(outside, lifted);
    return true;
}

static bool lift_soac(Guarded *g, const CoreStm *stm, CoreAtom condition)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return flatten_is_certain(g->m, stm) && !core_has_effect(stm->exp) &&
           has_outer_operators(g, stm) &&
           (has_nests(g, soac->map->body)
                ? lift_nest(g, stm, condition)
                : has_scalar_results(soac->map) && lift_flat(g, stm, condition));
}

/* ---- as they are ----------------------------------------------------------------------------- */

static bool are_extents(const Guarded *g, size_t count, const CoreAtom *sizes)
{
    bool good = true;
    for (size_t k = 0; k < count; k++) {
        good = good && guarded_is_extent(g, sizes[k]);
    }
    return good;
}

/* Views that always have a meaning, fresh arrays, and what writes into these: nothing of the branch is in it, and nobody
   reads it where the branch is not taken. */
static bool may_lift_whole(const Guarded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (!flatten_is_certain(g->m, stm) || exp->space != CORE_SPACE_AUTO ||
        guarded_mentions_local(g, stm)) {
        return false;
    }
    switch ((int)exp->kind) { /* the others may be out of bounds, or are no arrays */
    case CORE_EXP_REARRANGE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_ORDER:
    case CORE_EXP_COPY: return true;
    case CORE_EXP_IOTA: return guarded_is_extent(g, exp->as.count);
    case CORE_EXP_RESHAPE: /* the branch may be what says that there are as many elements */
        return g->f->some_row && g->depth == 0 &&
               are_extents(g, exp->as.reshape.count, exp->as.reshape.sizes);
    case CORE_EXP_SCRATCH: return are_extents(g, exp->as.scratch.count, exp->as.scratch.sizes);
    case CORE_EXP_SCATTER: /* into what the branch has made itself: another one may read what is older */
    case CORE_EXP_HIST:
        return flatten_may_scatter(g->m, g->lifted->stms.count - g->first,
                                   g->lifted->stms.items + g->first, stm);
    }
    return false;
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct LocalNames {
    Guarded *g;
    CoreAtom condition;
    Renaming *renaming;
    bool good; /* they are scalars that can be had in front of all */
} LocalNames;

static void lift_local(void *context, CoreName *name)
{
    LocalNames *names = context;
    CoreAtom lifted;
    bool seen = core_renamed(names->renaming, core_use(name)).name != name;
    if (!names->good || seen || !guarded_is_local(names->g, core_use(name))) {
        return;
    }
    names->good = name->type.rank == 0 && name->type.prim != CORE_CERT &&
                  guarded_scalar(names->g, name->text, names->condition, core_use(name),
                                 core_zero(name->type.prim), &lifted);
    if (names->good) {
        core_rename(names->renaming, name, lifted);
    }
}

/* if c then { loop (a = xs) for i < k do f a } else ..  ==>  loop (a = xs) for i < (if c then k else 0) do f a, in front
   of all; a while loop begins where c is true. */
static bool lift_loop(Guarded *g, const CoreStm *stm, CoreAtom condition)
{
    Compilation *c = g->f->c;
    LocalNames names = {g, condition, core_renaming(c), true};
    if (!flatten_is_loop(g->m, stm) || core_has_effect(stm->exp)) {
        return false;
    }
    g->lifted->span = stm->span;
    core_each_free(stm, lift_local, &names);
    CoreExp *loop = core_exp_copy(c, stm->exp);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, loop->as.loop.parameter_count + 1);
    for (size_t k = 0; k < loop->as.loop.parameter_count && names.good; k++) {
        initial[k] = core_renamed(names.renaming, loop->as.loop.initial[k]);
        if (!loop->as.loop.index && loop->as.loop.parameters[k] == loop->as.loop.condition) {
            initial[k] = core_let_binary(g->lifted, "going", CORE_AND, condition, initial[k]);
        }
    }
    if (!names.good) {
        return false;
    }
    if (loop->as.loop.index) {
        CoreBuilder taken = core_builder(c, stm->span), none = taken;
        CoreAtom bound = core_renamed(names.renaming, loop->as.loop.bound), zero = core_i64(0);
        loop->as.loop.bound = core_let(
            g->lifted, "steps", core_scalar(CORE_I64),
            core_exp_if(c, condition, core_body(&taken, 1, &bound), core_body(&none, 1, &zero)));
    }
    loop->as.loop.initial = initial;
    loop->as.loop.body = core_rename_body(names.renaming, loop->as.loop.body);
    CoreStm *lifted = arena_copy(c->arena, stm, sizeof *lifted);
    lifted->exp = loop;
    core_add(g->lifted, lifted);
    return true;
}

/* ---- branches -------------------------------------------------------------------------------- */

static const CoreBody *lift_branch(Guarded *g, const CoreBody *old, CoreAtom condition);

/* An `if` in a branch, without its SOACs; NULL where that cannot be. */
static const CoreStm *lift_inner(Guarded *g, const CoreStm *stm, CoreAtom outer)
{
    CoreAtom taken, other;
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_IF || stm->certificate_count > 0 ||
        !lift_condition(g, outer, exp->as.conditional.condition, &taken, &other)) {
        return NULL;
    }
    g->depth++;
    const CoreBody *then_rest = lift_branch(g, exp->as.conditional.then_body, taken);
    const CoreBody *else_rest =
        then_rest ? lift_branch(g, exp->as.conditional.else_body, other) : NULL;
    g->depth--;
    for (size_t k = 0; k < stm->pattern_count && else_rest; k++) {
        if (stm->pattern[k]->type.rank > 0 &&
            !guarded_choose(g, g->lifted, taken, stm->pattern[k], then_rest, else_rest, k)) {
            return NULL;
        }
    }
    return else_rest ? guarded_scalars(g, stm, then_rest, else_rest) : NULL;
}

/* The statements that the branch's results still need. */
static const CoreBody *what_is_used(Guarded *g, const CoreBuilder *rest, const CoreBody *old)
{
    CoreBuilder used = core_builder(g->f->c, (Span){0});
    Guarded alone = {.f = g->f, .m = g->m};
    for (size_t i = 0; i < rest->stms.count; i++) {
        vec_push(g->f->c->arena, &alone.local, rest->stms.items[i]);
    }
    GuardedAgain a = guarded_again(&alone);
    for (size_t k = 0; k < old->result_count; k++) {
        guarded_need(&a, old->results[k]);
    }
    guarded_need_more(&a);
    for (size_t i = 0; i < rest->stms.count; i++) {
        if (a.needed[i]) {
            core_add(&used, rest->stms.items[i]);
        }
    }
    return core_body(&used, old->result_count, old->results);
}

/* A statement of the branch: false where it has to stay, and cannot; `stays`: it does. */
static bool lift_stm(Guarded *g, const CoreStm **stm, CoreAtom condition, bool *stays)
{
    const CoreExp *exp = (*stm)->exp;
    bool total = flatten_is_total_reduction(g->m, *stm) && !guarded_mentions_local(g, *stm);
    *stays = false;
    if (g->count > MOST_LIFTED) {
        return false;
    }
    if (exp->kind == CORE_EXP_ASSERT) {
        return lift_check(g, *stm, condition);
    }
    if (total || exp->kind == CORE_EXP_CONJOIN || may_lift_whole(g, *stm)) {
        bool work = total || fuse_is_scatter(*stm);
        g->count += work;
        core_add(g->lifted, *stm);
        return true;
    }
    if (flatten_is_parallel(g->m, *stm)) {
        g->count++;
        return lift_soac(g, *stm, condition);
    }
    if (exp->kind == CORE_EXP_LOOP && flatten_has_soacs(exp)) {
        g->count++;
        return lift_loop(g, *stm, condition);
    }
    *stays = true;
    if (!guarded_is_again(*stm) && !fuse_is_soac(*stm)) {
        *stm = flatten_has_soacs(exp) ? lift_inner(g, *stm, condition) : NULL;
        *stays = *stm != NULL && (*stm)->pattern_count > 0;
    }
    return *stm != NULL;
}

/* Scratch that the body gives as it is: there is nothing in it. */
static bool is_nothing(const CoreBody *body, const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SCRATCH && stm->exp->space == CORE_SPACE_AUTO &&
           !core_uses(body, stm->pattern[0]);
}

/* The SOACs of a body, in front of all; what stays is local from then on, and added to `rest`, if that is not NULL. */
static bool lift_body(Guarded *g, const CoreBody *old, CoreAtom condition, CoreBuilder *rest)
{
    CoreBuilder parts = core_builder(g->f->c, g->lifted->span);
    for (size_t i = 0; i < old->stm_count; i++) {
        if (is_nothing(old, old->stms[i])) {
            vec_push(g->f->c->arena, &g->nothing, old->stms[i]->pattern[0]);
        } else if (!flatten_split(g->f, g->m, old->stms[i], &parts)) {
            core_add(&parts, old->stms[i]);
        }
    }
    for (size_t i = 0; i < parts.stms.count; i++) {
        const CoreStm *stm = parts.stms.items[i];
        bool stays;
        if (!lift_stm(g, &stm, condition, &stays)) {
            return false;
        }
        if (stays) {
            vec_push(g->f->c->arena, &g->local, stm);
        }
        if (stays && rest) {
            core_add(rest, stm);
        }
    }
    return true;
}

/* The branch without its SOACs, which go in front of all; NULL where they cannot. */
static const CoreBody *lift_branch(Guarded *g, const CoreBody *old, CoreAtom condition)
{
    CoreBuilder rest = core_builder(g->f->c, (Span){0});
    size_t before = g->local.count, first = g->first;
    g->first = g->lifted->stms.count;
    bool good = lift_body(g, old, condition, &rest);
    g->local.count = before;
    g->first = first;
    return good ? what_is_used(g, &rest, old) : NULL;
}

/* ---- all of an `if` --------------------------------------------------------------------------- */

bool flatten_guarded(const MapContext *m, const CoreStm *stm, CoreBuilder *lifted,
                     CoreBuilder *stays)
{
    Flatten *f = m->f;
    const CoreExp *exp = stm->exp;
    CoreBuilder in_front = core_builder(f->c, stm->span), behind = in_front;
    Guarded g = {.f = f, .m = m, .lifted = &in_front};
    if (exp->kind != CORE_EXP_IF || stm->certificate_count > 0) {
        return false;
    }
    CoreAtom condition = exp->as.conditional.condition;
    const CoreBody *then_rest = lift_branch(&g, exp->as.conditional.then_body, condition);
    if (!then_rest) {
        return false;
    }
    CoreAtom other = core_let_unary(&in_front, "not", CORE_NOT, condition);
    const CoreBody *else_rest = lift_branch(&g, exp->as.conditional.else_body, other);
    if (!else_rest || g.count == 0 ||
        !guarded_choose_results(&g, stm, then_rest, else_rest, &behind)) {
        return false;
    }
    flatten_add_all(lifted, &in_front);
    flatten_add_all(stays, &behind);
    return true;
}
