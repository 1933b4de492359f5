/* [L0 6] Where a statement goes, once it is as simple as it gets: away, where an earlier one is
   equal (cse.c); else out of the loops and functions around it.

       map n xs (\x -> { let (k : i64) = y + z        let (k : i64) = y + z
                         let (r : i64) = x + k   ==>  map n xs (\x -> { let (r : i64) = x + k
                         in (r) })                                      in (r) })

   A statement goes to the outermost scope that has its operands, as long as each scope that it
   leaves lets it go ([L0] 6.1.1):
   - what is total and cheap (scalar operators, views that are always defined) may leave loops and
     functions of SOACs, whether or not these run;
   - so may a SOAC of more than a few rows whose functions do nothing but that, for all rows: to do it once is
     less work, unless there are no iterations at all;
   - what could fail or costs more (elements, slices, other SOACs, what a certificate guards) only
     leaves a body that surely runs, and where no assertion, effect or endless loop stands before
   it;
   - what is written in place stays, and so do effects; nothing leaves a branch of an if.
   Assertions: checks.c.
*/
#include "core/simplify/simplify.h"

/* ---- where a statement may stand ------------------------------------------------------------- */

typedef struct Reach {
    Simplify *s;
    int depth;
    bool consumes;
} Reach;

static void reach_name(void *context, CoreName *name)
{
    Reach *reach = context;
    int depth = simplify_fact(reach->s, name)->depth;
    reach->depth = depth > reach->depth ? depth : reach->depth;
}

static void reach_atom(void *context, CoreAtom atom)
{
    if (atom.name) {
        reach_name(context, atom.name);
    }
}

/* The depth of the innermost scope that binds something the statement mentions. */
static int depth_needed(Simplify *s, const CoreStm *stm)
{
    Reach reach = {.s = s, .depth = 1};
    if (core_has_bodies(stm->exp->kind)) {
        core_each_free(stm, reach_name, &reach);
        return reach.depth;
    }
    core_each_operand(stm->exp, reach_atom, &reach);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        reach_atom(&reach, stm->certificates[i]);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        for (int d = 0; d < stm->pattern[i]->type.rank; d++) {
            CoreAtom size = stm->pattern[i]->type.sizes[d];
            if (size.name != stm->pattern[0]) {
                reach_atom(&reach, size);
            }
        }
    }
    return reach.depth;
}

bool simplify_is_total(Simplify *s, const CoreExp *exp, int depth)
{
    switch ((int)exp->kind) { /* the others cost, fail or do something */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_LITERAL:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_ROTATE: return true;
    case CORE_EXP_IOTA: return simplify_is_not_negative(s, exp->as.count, depth);
    case CORE_EXP_REPLICATE:
        for (size_t i = 0; i < exp->as.replicate.count; i++) {
            if (!simplify_is_not_negative(s, exp->as.replicate.sizes[i], depth)) {
                return false;
            }
        }
        return true;
    }
    return false;
}

static bool is_total_body(Simplify *s, const CoreBody *body, int depth);

/* Nothing in it can fail, or depends on there being an iteration around it. */
static bool is_total_soac(Simplify *s, const CoreExp *exp, int depth)
{
    bool total = exp->level == CORE_LEVEL_AUTO && exp->space == CORE_SPACE_AUTO &&
                 exp->as.soac.scan_count == 0 && /* long arrays, which may never be wanted */
                 is_total_body(s, exp->as.soac.map->body, depth);
    for (size_t i = 0; total && i < exp->as.soac.reduction_count; i++) {
        total = is_total_body(s, exp->as.soac.reductions[i].function->body, depth);
    }
    return total;
}

/* A certificate may come from an assertion that was weakened: without iterations it says nothing. */
static bool is_total_body(Simplify *s, const CoreBody *body, int depth)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool total = stm->exp->kind == CORE_EXP_SOAC   ? is_total_soac(s, stm->exp, depth)
                     : stm->exp->kind == CORE_EXP_ATOM ? true
                                                       : simplify_is_total(s, stm->exp, depth);
        if (!total || stm->certificate_count > 0) {
            return false;
        }
    }
    return true;
}

enum { FEW_ROWS = 16 };

static bool is_long(CoreAtom width)
{
    return width.name || width.as.integer > FEW_ROWS;
}

/* More work than to read what it gives. */
static bool reduces(const CoreExp *exp)
{
    bool found = exp->as.soac.reduction_count > 0 && is_long(exp->as.soac.width);
    const CoreBody *body = exp->as.soac.map->body;
    for (size_t i = 0; !found && i < body->stm_count; i++) {
        found = body->stms[i]->exp->kind == CORE_EXP_SOAC && reduces(body->stms[i]->exp);
    }
    return found;
}

/* Worth to be done once: in front of a function of a SOAC, whose rows all have it, and of a loop, where it is not
   elementwise, which a kernel of the loop does as well. */
static bool is_long_total_soac(Simplify *s, const CoreStm *stm, int depth)
{
    return stm->exp->kind == CORE_EXP_SOAC && stm->certificate_count == 0 &&
           is_long(stm->exp->as.soac.width) &&
           (s->scopes[depth + 1]->kind != SCOPE_LOOP || reduces(stm->exp)) &&
           is_total_soac(s, stm->exp, depth);
}

static void find_consumed(void *context, CoreName *name)
{
    Reach *reach = context;
    reach->consumes = reach->consumes || simplify_consumed(reach->s, core_use(name));
}

/* Nothing that it binds, or that bodies in it use, is written in place. */
static bool is_movable(Simplify *s, const CoreStm *stm)
{
    Reach reach = {.s = s};
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (simplify_consumed(s, core_use(stm->pattern[i]))) {
            return false;
        }
    }
    if (!core_has_bodies(stm->exp->kind)) {
        return simplify_is_comparable(stm->exp->kind) && stm->exp->kind != CORE_EXP_ASSERT;
    }
    core_each_free(stm, find_consumed, &reach);
    return stm->exp->kind != CORE_EXP_HIST && !reach.consumes;
}

/* Bodies nest deeply, and looking into each statement of each would be quadratic. */
enum { DEEPEST_LOOK = 16 };

/* [L0 6.1.1] Sums of sizes and the like may also leave a branch, where this brings them before all
   loops and functions of SOACs: there they cost nothing, and are seen to be equal. */
static bool may_leave_branch(const CoreStm *stm, const Scope *scope)
{
    return scope->kind == SCOPE_BRANCH && stm->certificate_count == 0 &&
           stm->exp->kind == CORE_EXP_BINARY && stm->pattern[0]->type.prim == CORE_I64;
}

static int outermost_from(Simplify *s, const CoreStm *stm, int needed, bool from_branches)
{
    int depth = s->depth;
    while (depth > needed) {
        const Scope *scope = s->scopes[depth];
        bool total = stm->certificate_count == 0 && (simplify_is_total(s, stm->exp, depth - 1) ||
                                                     is_long_total_soac(s, stm, depth - 1));
        bool lets = scope->may_hoist || (from_branches && may_leave_branch(stm, scope));
        if (!lets || (!total && (!scope->runs || scope->barrier))) {
            break;
        }
        depth--;
    }
    return depth;
}

static bool is_repeated(Simplify *s, int depth)
{
    while (depth > 0 &&
           (s->scopes[depth]->kind == SCOPE_BRANCH || s->scopes[depth]->kind == SCOPE_FUNCTION)) {
        depth--;
    }
    return depth > 0;
}

static int outermost(Simplify *s, const CoreStm *stm)
{
    int depth = s->depth;
    bool bodies = core_has_bodies(stm->exp->kind);
    bool lets = s->scopes[depth]->may_hoist || may_leave_branch(stm, s->scopes[depth]);
    if (!lets ||
        (bodies &&
         (depth > DEEPEST_LOOK || ((!s->scopes[depth]->runs || s->scopes[depth]->barrier) &&
                                   !is_long_total_soac(s, stm, depth - 1)))) ||
        !is_movable(s, stm)) {
        return depth;
    }
    int needed = depth_needed(s, stm);
    depth = outermost_from(s, stm, needed, true);
    return is_repeated(s, depth) ? outermost_from(s, stm, needed, false) : depth;
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* [L0 6.1]  for i < n do { assert c ... }  ==>  assert (n <= 0 | c) ... for i < n do { ... }
             c invariant, and nothing before it in the body that could fail. */
static void weaken(Simplify *s, Work *work, const Scope *scope)
{
    CoreExp *exp = core_exp_copy(s->c, work->exp);
    CoreAtom unreached = scope->unreached_is_not
                             ? simplify_unary(s, work, "never", CORE_NOT, scope->unreached_left)
                             : simplify_binary(s, work, "never", CORE_LE, scope->unreached_left,
                                               scope->unreached_right);
    exp->as.assertion.condition =
        simplify_binary(s, work, "ok", CORE_OR, unreached, exp->as.assertion.condition);
    work->exp = exp;
}

static int hoist_assertion(Simplify *s, Work *work)
{
    Reach reach = {.s = s, .depth = 1};
    int depth = s->depth;
    if (work->certificate_count > 0) {
        return depth;
    }
    core_each_operand(work->exp, reach_atom, &reach);
    while (depth > reach.depth && s->scopes[depth]->may_hoist && !s->scopes[depth]->barrier &&
           (s->scopes[depth]->runs || s->scopes[depth]->can_weaken)) {
        const Scope *scope = s->scopes[depth];
        if (!scope->runs) {
            int before = s->depth;
            Reach left = {.s = s, .depth = 1};
            reach_atom(&left, scope->unreached_left);
            s->depth = depth - 1; /* what is added goes there */
            weaken(s, work, scope);
            s->depth = before;
            reach.depth = left.depth > reach.depth ? left.depth : reach.depth;
        }
        depth--;
        simplify_fired(s, CORE_RULE_ASSERT_HOIST);
    }
    return depth;
}

static bool is_in_lambda(const Simplify *s, int depth)
{
    while (depth > 0 && s->scopes[depth]->kind != SCOPE_LAMBDA) {
        depth--;
    }
    return depth > 0;
}

/* Outside of SOACs assertions come in their order; it was that of their stages, too. */
static void forget_stage(Simplify *s, Work *work, int depth)
{
    if (work->exp->as.assertion.stage > 0 && !is_in_lambda(s, depth)) {
        CoreExp *exp = core_exp_copy(s->c, work->exp);
        exp->as.assertion.stage = 0;
        work->exp = exp;
    }
}

/* ---- emission -------------------------------------------------------------------------------- */

/* The names with the types that they have now. */
CoreName *const *simplify_retyped_all(Simplify *s, size_t count, CoreName *const *old)
{
    CoreName **names = NULL;
    for (size_t i = 0; i < count; i++) {
        CoreName *name = simplify_retyped(s, old[i]);
        if (name != old[i]) {
            names = names ? names : arena_copy(s->c->arena, old, count * sizeof(CoreName *));
            names[i] = name;
        }
    }
    return names ? names : old;
}

static const CoreStm *finished(Simplify *s, const Work *work)
{
    const CoreStm *old = work->old;
    CoreName *const *pattern = simplify_retyped_all(s, work->pattern_count, work->pattern);
    if (old && old->exp == work->exp && old->pattern == pattern &&
        old->pattern_count == work->pattern_count && old->certificates == work->certificates &&
        old->certificate_count == work->certificate_count) {
        return old;
    }
    CoreStm *stm = ARENA_NEW(s->c->arena, CoreStm);
    *stm = (CoreStm){.pattern_count = work->pattern_count,
                     .pattern = pattern,
                     .certificate_count = work->certificate_count,
                     .certificates = work->certificates,
                     .exp = work->exp,
                     .span = work->span};
    return stm;
}

static void join_classes(Simplify *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom of = core_i64(0);
    switch ((int)exp->kind) { /* views that rules make */
    case CORE_EXP_ATOM: of = exp->as.atom; break;
    case CORE_EXP_INDEX: of = exp->as.index.array; break;
    case CORE_EXP_REPLICATE: of = exp->as.replicate.value; break;
    case CORE_EXP_REARRANGE: of = exp->as.rearrange.array; break;
    case CORE_EXP_RESHAPE: of = exp->as.reshape.array; break;
    case CORE_EXP_ROTATE: of = exp->as.rotate.array; break;
    case CORE_EXP_REVERSE: of = exp->as.reverse.array; break;
    case CORE_EXP_SLICE: of = exp->as.slice.array; break;
    }
    if (of.name) {
        simplify_same_class(s, stm->pattern[0], of.name);
    }
}

static void place(Simplify *s, const CoreStm *stm, int depth)
{
    Scope *scope = s->scopes[depth];
    /* what a certificate guards is computed on the host only after its assertion held */
    bool certain = stm->certificate_count == 0 || s->lambdas == 0;
    vec_push(s->arena, &scope->stms, stm);
    join_classes(s, stm);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        Fact *fact = simplify_fact(s, stm->pattern[i]);
        if (depth < s->depth) { /* not its old body's any more */
            simplify_class(fact)->many_homes = true;
        }
        fact->stm = stm;
        fact->depth = depth;
        if (certain) {
            simplify_learn_sizes(s, stm->pattern[i]->type, depth);
        }
    }
    if (stm->pattern_count == 1 && certain) {
        Fact *fact = simplify_fact(s, stm->pattern[0]);
        fact->linear = simplify_linear_exp(s, stm->exp);
        simplify_learn_range(s, stm, depth);
    }
    bool moved = depth < s->depth; /* what holds of a function's results might only hold here */
    if (certain && (!moved || stm->exp->kind != CORE_EXP_SOAC)) {
        simplify_learn_elements(s, stm);
    }
    if (stm->exp->kind == CORE_EXP_ASSERT && s->lambdas == 0 && stm->certificate_count == 0) {
        /* on the host, where a failure ends the program at once */
        simplify_learn_condition(s, stm->exp->as.assertion.condition, true, depth);
    }
    if (stm->exp->kind == CORE_EXP_ASSERT || stm->exp->kind == CORE_EXP_APPLY ||
        core_is_effect(stm->exp->kind)) {
        scope->barrier = true;
    }
}

/* Its results are those of an equal statement before it. */
static bool merged(Simplify *s, const Work *work, const CoreStm *stm, const CoreStm *equal)
{
    if (!equal) {
        return false;
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreAtom result = core_use(equal->pattern[i]);
        if (!simplify_fact(s, work->pattern[i])->replaced ||
            work->pattern[i] != stm->pattern[i]) { /* else a rule knows better */
            simplify_replace(s, work->pattern[i], result);
        }
        simplify_replace(s, stm->pattern[i], result);
    }
    simplify_fired(s, CORE_RULE_CSE);
    return true;
}

void simplify_emit(Simplify *s, Work *work)
{
    int depth = s->depth;
    bool is_assertion = work->exp->kind == CORE_EXP_ASSERT;
    if (is_assertion) {
        depth = hoist_assertion(s, work);
        forget_stage(s, work, depth);
    }
    const CoreStm *stm = finished(s, work);
    uint64_t hash = simplify_hash(s, stm);
    if (merged(s, work, stm, simplify_find_equal(s, stm, hash))) {
        return;
    }
    if (!is_assertion) {
        depth = outermost(s, stm);
        if (depth < s->depth) {
            simplify_fired(s, CORE_RULE_HOIST);
        }
    }
    place(s, stm, depth);
    simplify_remember(s, stm, hash, depth);
}
