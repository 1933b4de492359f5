/* [L0 5.3, 6.3.2] The walk backwards: a statement stays where something live uses what it binds, or
   where it has an effect, asserts, or may not end. Then also what is unused inside of those that
   stay: results of if, state of loops; and of SOACs (dead_soacs.c) inputs, results, accumulators.

       let (a : [n]f64, b : [n]f64) = map n (xs, ys) (\(x, y) -> { ... in (r, t) })     -- b unused
   ==> let (a : [n]f64) = map n (xs) (\(x) -> { ... in (r) })                           -- nor is y

   Effects and assertions are never removed. */
#include "core/simplify/dead.h"

static void live(void *context, CoreAtom atom)
{
    if (atom.name) {
        simplify_fact(context, atom.name)->live = true;
    }
}

bool simplify_is_live(Simplify *s, const CoreName *name)
{
    return simplify_fact(s, name)->live;
}

void simplify_live_type(Simplify *s, CoreType type)
{
    for (int i = 0; i < type.rank; i++) {
        live(s, type.sizes[i]);
    }
}

/* ---- what must stay -------------------------------------------------------------------------- */

static void find_staying(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = simplify_must_stay(body->stms[i]->exp);
    }
}

/* The statement of the body that binds it, if it is such an operation; else NULL. */
static const CoreExp *binary_of(const CoreBody *body, CoreAtom atom, CoreOperator op)
{
    const CoreStm *stm = core_binder(body, atom.name);
    bool is_one = stm && stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == op;
    return is_one ? stm->exp : NULL;
}

// loop (more = _, x = _) while more do { let y = x >>> k  let more' = y != 0 in (more', y) },  0 < k < 64
static bool surely_ends(const CoreExp *loop)
{
    enum { BITS = 64 };
    const CoreBody *body = loop->as.loop.body;
    const CoreExp *more = NULL, *shift = NULL;
    size_t state = 0, count = loop->as.loop.parameter_count;
    for (size_t k = 0; k < count; k++) {
        if (loop->as.loop.parameters[k] == loop->as.loop.condition) {
            more = binary_of(body, body->results[k], CORE_NE);
        }
    }
    if (more && core_atom_equal(more->as.scalar.y, core_i64(0))) {
        shift = binary_of(body, more->as.scalar.x, CORE_SHR);
    }
    while (shift && state < count && !core_atom_equal(body->results[state], more->as.scalar.x)) {
        state++;
    }
    CoreAtom by = shift ? shift->as.scalar.y : core_i64(0);
    return shift && state < count && loop->as.loop.parameters[state] == shift->as.scalar.x.name &&
           core_is_constant(by) && by.as.integer > 0 && by.as.integer < BITS;
}

/* It has an effect, asserts, or may not end, by itself or inside. */
bool simplify_must_stay(const CoreExp *exp)
{
    bool may_not_end = exp->kind == CORE_EXP_LOOP && !exp->as.loop.index && !surely_ends(exp);
    bool found = core_is_effect(exp->kind) || exp->kind == CORE_EXP_ASSERT ||
                 exp->kind == CORE_EXP_APPLY || may_not_end;
    if (!found) {
        core_each_body(exp, find_staying, &found);
    }
    return found;
}

/* The same, or it stores what the program asks to be stored, which in the end need not be in memory where nothing reads it. */
static bool must_stay_here(const Simplify *s, const CoreExp *exp)
{
    return simplify_must_stay(exp) ||
           (exp->kind == CORE_EXP_COPY && exp->space == CORE_STORED && !s->last);
}

/* ---- a statement while it is thinned out ----------------------------------------------------- */

bool simplify_are_all_kept(size_t count, const bool *keep)
{
    for (size_t i = 0; i < count; i++) {
        if (!keep[i]) {
            return false;
        }
    }
    return true;
}

/* Which of `count` things stay. */
const CoreAtom *simplify_kept_atoms(Simplify *s, size_t count, const CoreAtom *atoms,
                                    const bool *keep)
{
    if (simplify_are_all_kept(count, keep)) {
        return atoms;
    }
    CoreAtom *kept = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (keep[i]) {
            kept[n++] = atoms[i];
        }
    }
    return kept;
}

CoreName *const *simplify_kept_names(Simplify *s, size_t count, CoreName *const *names,
                                     const bool *keep)
{
    if (simplify_are_all_kept(count, keep)) {
        return names;
    }
    CoreName **kept = ARENA_ARRAY(s->c->arena, CoreName *, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (keep[i]) {
            kept[n++] = names[i];
        }
    }
    return kept;
}

const CoreBody *simplify_kept_results(Simplify *s, const CoreBody *old, const bool *keep)
{
    CoreBody *body = arena_copy(s->c->arena, old, sizeof *body);
    body->result_count = 0;
    for (size_t i = 0; i < old->result_count; i++) {
        body->result_count += keep[i];
    }
    body->results = simplify_kept_atoms(s, old->result_count, old->results, keep);
    return body;
}

/* Which names of the pattern are live: a size that a live one mentions is. */
bool *simplify_live_pattern(Simplify *s, const CoreStm *stm, size_t *count)
{
    bool *keep = ARENA_ARRAY(s->arena, bool, stm->pattern_count);
    *count = 0;
    for (size_t i = stm->pattern_count; i-- > 0;) {
        keep[i] = simplify_is_live(s, stm->pattern[i]);
        if (keep[i]) {
            simplify_live_type(s, stm->pattern[i]->type);
            (*count)++;
        }
    }
    return keep;
}

void simplify_keep_pattern(Simplify *s, CoreStm *stm, const bool *keep, size_t count)
{
    stm->pattern = simplify_kept_names(s, stm->pattern_count, stm->pattern, keep);
    stm->pattern_count = count;
}

static void thin_if(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t count;
    bool *keep = simplify_live_pattern(s, stm, &count);
    const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
    if (count < stm->pattern_count && stm->certificate_count == 0) {
        yes = simplify_kept_results(s, yes, keep);
        no = simplify_kept_results(s, no, keep);
        simplify_keep_pattern(s, stm, keep, count);
        simplify_fired(s, CORE_RULE_UNUSED_RESULT);
    }
    exp->as.conditional.then_body = simplify_dead_body(s, yes, depth + 1);
    exp->as.conditional.else_body = simplify_dead_body(s, no, depth + 1);
}

/* ---- loops: the state that something live depends on ----------------------------------------- */

static void demand(void *context, CoreName *name)
{
    Demand *d = context;
    Fact *fact = simplify_fact(d->s, name);
    if (fact->depth >= d->depth && fact->stamp != d->s->stamp) {
        fact->stamp = d->s->stamp;
        vec_push(d->s->arena, &d->waiting, name);
    }
}

void simplify_demand(Demand *d, CoreAtom atom)
{
    if (atom.name) {
        demand(d, atom.name);
    }
}

/* Of its results some may go. */
static bool is_thinned_if(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_IF && stm->certificate_count == 0;
}

void simplify_demand_staying(Demand *d, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (!must_stay_here(d->s, stm->exp)) {
            continue;
        }
        if (is_thinned_if(stm)) {
            simplify_demand(d, stm->exp->as.conditional.condition);
            simplify_demand_staying(d, stm->exp->as.conditional.then_body);
            simplify_demand_staying(d, stm->exp->as.conditional.else_body);
        } else {
            core_each_free(stm, demand, d);
        }
    }
}

/* Of an IF that result alone. */
static void demand_result(Demand *d, const Fact *fact)
{
    const CoreExp *exp = fact->stm->exp;
    simplify_demand(d, exp->as.conditional.condition);
    for (size_t k = 0; k < fact->stm->pattern_count; k++) {
        const CoreName *name = fact->stm->pattern[k];
        if (name == fact->name) {
            simplify_demand(d, exp->as.conditional.then_body->results[k]);
            simplify_demand(d, exp->as.conditional.else_body->results[k]);
            for (int axis = 0; axis < name->type.rank; axis++) {
                simplify_demand(d, name->type.sizes[axis]);
            }
        }
    }
}

void simplify_demand_operands(Demand *d, const Fact *fact)
{
    if (fact->stm && is_thinned_if(fact->stm)) {
        demand_result(d, fact);
    } else if (fact->stm) {
        core_each_free(fact->stm, demand, d);
        for (size_t i = 0; i < fact->stm->pattern_count; i++) {
            demand(d, fact->stm->pattern[i]);
        }
    }
}

static void demand_parameter(Demand *d, const CoreExp *exp, size_t i, bool *keep)
{
    CoreType type = exp->as.loop.parameters[i]->type;
    if (keep[i]) {
        return;
    }
    keep[i] = true;
    simplify_demand(d, exp->as.loop.body->results[i]);
    for (int a = 0; a < type.rank; a++) {
        simplify_demand(d, type.sizes[a]);
    }
}

/* keep: on entry the parameters whose results are used after the loop, on return all that matter.
 */
static void needed_state(Simplify *s, const CoreExp *exp, bool *keep)
{
    size_t count = exp->as.loop.parameter_count;
    const CoreBody *body = exp->as.loop.body;
    /* Of its scope when it was open: the loop may have left scopes around it since. */
    Demand d = {.s = s,
                .depth = count > 0 ? simplify_fact(s, exp->as.loop.parameters[0])->depth : 0};
    if (simplify_are_all_kept(count, keep)) {
        return;
    }
    bool *wanted = arena_copy(s->arena, keep, count * sizeof *keep);
    s->stamp++;
    for (size_t i = 0; i < count; i++) {
        keep[i] = false;
        simplify_fact(s, exp->as.loop.parameters[i])->state = i + 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (wanted[i] || exp->as.loop.parameters[i] == exp->as.loop.condition) {
            demand_parameter(&d, exp, i, keep);
        }
    }
    simplify_demand_staying(&d, body);
    while (d.waiting.count > 0) {
        const Fact *fact = simplify_fact(s, d.waiting.items[--d.waiting.count]);
        if (fact->state > 0 && fact->state <= count &&
            exp->as.loop.parameters[fact->state - 1] == fact->name) {
            demand_parameter(&d, exp, fact->state - 1, keep);
        } else {
            simplify_demand_operands(&d, fact);
        }
    }
}

static void thin_loop(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t count, total = exp->as.loop.parameter_count;
    bool *keep = simplify_live_pattern(s, stm, &count);
    needed_state(s, exp, keep);
    count = 0;
    for (size_t i = 0; i < total; i++) {
        count += keep[i];
    }
    if (count < total && stm->certificate_count == 0) {
        exp->as.loop.parameters = simplify_kept_names(s, total, exp->as.loop.parameters, keep);
        exp->as.loop.initial = simplify_kept_atoms(s, total, exp->as.loop.initial, keep);
        exp->as.loop.body = simplify_kept_results(s, exp->as.loop.body, keep);
        exp->as.loop.parameter_count = count;
        simplify_keep_pattern(s, stm, keep, count);
        simplify_fired(s, CORE_RULE_UNUSED_STATE);
    }
    exp->as.loop.body = simplify_dead_body(s, exp->as.loop.body, depth + 1);
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        simplify_live_type(s, exp->as.loop.parameters[i]->type);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void thin_bodies(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF: thin_if(s, stm, exp, depth); break;
    case CORE_EXP_LOOP: thin_loop(s, stm, exp, depth); break;
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: simplify_thin_soac(s, stm, exp, depth); break;
    }
}

/* The statement itself, where nothing in it is dead. */
static const CoreStm *thin(Simplify *s, const CoreStm *old, int depth)
{
    const CoreStm *stm = old;
    if (core_has_bodies(old->exp->kind) || old->exp->kind == CORE_EXP_SCATTER) {
        CoreStm thinned;
        CoreExp exp;
        memcpy(&thinned, old, sizeof thinned);
        memcpy(&exp, old->exp, sizeof exp);
        thin_bodies(s, &thinned, &exp, depth);
        if (memcmp(&exp, old->exp, sizeof exp) != 0) {
            thinned.exp = core_exp_copy(s->c, &exp);
        }
        if (memcmp(&thinned, old, sizeof thinned) != 0) {
            stm = arena_copy(s->c->arena, &thinned, sizeof thinned);
        }
    }
    core_each_operand(stm->exp, live, s);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        live(s, stm->certificates[i]);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        simplify_live_type(s, stm->pattern[i]->type);
    }
    return stm;
}

const CoreBody *simplify_dead_body(Simplify *s, const CoreBody *old, int depth)
{
    const CoreStm **kept = ARENA_ARRAY(s->arena, const CoreStm *, old->stm_count);
    size_t first = old->stm_count;
    for (size_t i = 0; i < old->result_count; i++) {
        live(s, old->results[i]);
    }
    for (size_t i = old->stm_count; i-- > 0;) {
        const CoreStm *stm = old->stms[i];
        bool used = false;
        for (size_t j = 0; j < stm->pattern_count && !used; j++) {
            used = simplify_is_live(s, stm->pattern[j]);
        }
        if (used || must_stay_here(s, stm->exp)) {
            kept[--first] = thin(s, stm, depth);
        } else {
            simplify_fired(s, CORE_RULE_DEAD);
        }
    }
    return core_with_stms(s->c, old, old->stm_count - first, kept + first);
}

const CoreFunction *simplify_dead(Simplify *s, const CoreFunction *old)
{
    for (size_t i = 0; i < old->result_count; i++) {
        simplify_live_type(s, old->result_types[i]);
    }
    return core_with_body(s->c, old, simplify_dead_body(s, old->body, 1));
}
