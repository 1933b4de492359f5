/* [L0 5.3, 6.3.2] The walk backwards: a statement stays where something live uses what it binds, or
   where it has an effect, asserts, or may not end. Then also what is unused inside of those that
   stay: results of if and map, inputs of SOACs, state of loops.

       let (a : [n]f64, b : [n]f64) = map n (xs, ys) (\(x, y) -> { ... in (r, t) })     -- b unused
   ==> let (a : [n]f64) = map n (xs) (\(x) -> { ... in (r) })                           -- nor is y

   Effects and assertions are never removed. */
#include "core/simplify/simplify.h"

static const CoreBody *dead_body(Simplify *s, const CoreBody *body, int depth);

static void live(void *context, CoreAtom atom)
{
    if (atom.name) {
        simplify_fact(context, atom.name)->live = true;
    }
}

static bool is_live(Simplify *s, const CoreName *name)
{
    return simplify_fact(s, name)->live;
}

static void live_type(Simplify *s, CoreType type)
{
    for (int i = 0; i < type.rank; i++) {
        live(s, type.sizes[i]);
    }
}

/* ---- what must stay
 * ------------------------------------------------------------------------------------ */

static bool must_stay(const CoreExp *exp);

static void find_staying(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = must_stay(body->stms[i]->exp);
    }
}

/* It has an effect, asserts, or may not end, by itself or inside. */
static bool must_stay(const CoreExp *exp)
{
    bool found = core_is_effect(exp->kind) || exp->kind == CORE_EXP_ASSERT ||
                 exp->kind == CORE_EXP_APPLY || (exp->kind == CORE_EXP_LOOP && !exp->as.loop.index);
    if (!found) {
        core_each_body(exp, find_staying, &found);
    }
    return found;
}

/* ---- a statement while it is thinned out
 * ---------------------------------------------------------------- */

/* Which of `count` things stay; NULL `keep` is all. */
static const CoreAtom *kept_atoms(Simplify *s, size_t count, const CoreAtom *atoms,
                                  const bool *keep)
{
    CoreAtom *kept = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (keep[i]) {
            kept[n++] = atoms[i];
        }
    }
    return kept;
}

static CoreName *const *kept_names(Simplify *s, size_t count, CoreName *const *names,
                                   const bool *keep)
{
    CoreName **kept = ARENA_ARRAY(s->c->arena, CoreName *, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (keep[i]) {
            kept[n++] = names[i];
        }
    }
    return kept;
}

static const CoreBody *kept_results(Simplify *s, const CoreBody *old, const bool *keep)
{
    CoreBody *body = arena_copy(s->c->arena, old, sizeof *body);
    body->result_count = 0;
    for (size_t i = 0; i < old->result_count; i++) {
        body->result_count += keep[i];
    }
    body->results = kept_atoms(s, old->result_count, old->results, keep);
    return body;
}

/* Which names of the pattern are live: a size that a live one mentions is. */
static bool *live_pattern(Simplify *s, const CoreStm *stm, size_t *count)
{
    bool *keep = ARENA_ARRAY(s->c->arena, bool, stm->pattern_count);
    *count = 0;
    for (size_t i = stm->pattern_count; i-- > 0;) {
        keep[i] = is_live(s, stm->pattern[i]);
        if (keep[i]) {
            live_type(s, stm->pattern[i]->type);
            (*count)++;
        }
    }
    return keep;
}

static void keep_pattern(Simplify *s, CoreStm *stm, const bool *keep, size_t count)
{
    stm->pattern = kept_names(s, stm->pattern_count, stm->pattern, keep);
    stm->pattern_count = count;
}

static void thin_if(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t count;
    bool *keep = live_pattern(s, stm, &count);
    const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
    if (count < stm->pattern_count && stm->certificate_count == 0) {
        yes = kept_results(s, yes, keep);
        no = kept_results(s, no, keep);
        keep_pattern(s, stm, keep, count);
        simplify_fired(s, CORE_RULE_UNUSED_RESULT);
    }
    exp->as.conditional.then_body = dead_body(s, yes, depth + 1);
    exp->as.conditional.else_body = dead_body(s, no, depth + 1);
}

/* ---- loops: the state that something live depends on
 * ----------------------------------------------------- */

typedef struct Demand {
    Simplify *s;
    int depth; /* of the loop's body */
    NameVec waiting;
} Demand;

static void demand(void *context, CoreName *name)
{
    Demand *d = context;
    Fact *fact = simplify_fact(d->s, name);
    if (fact->depth == d->depth && fact->stamp != d->s->stamp) {
        fact->stamp = d->s->stamp;
        vec_push(d->s->c->arena, &d->waiting, name);
    }
}

static void demand_atom(Demand *d, CoreAtom atom)
{
    if (atom.name) {
        demand(d, atom.name);
    }
}

static void demand_parameter(Demand *d, const CoreExp *exp, size_t i, bool *keep)
{
    CoreType type = exp->as.loop.parameters[i]->type;
    if (keep[i]) {
        return;
    }
    keep[i] = true;
    demand_atom(d, exp->as.loop.body->results[i]);
    for (int a = 0; a < type.rank; a++) {
        demand_atom(d, type.sizes[a]);
    }
}

/* keep: on entry the parameters whose results are used after the loop, on return all that matter.
 */
static void needed_state(Simplify *s, const CoreExp *exp, int depth, bool *keep)
{
    size_t count = exp->as.loop.parameter_count;
    const CoreBody *body = exp->as.loop.body;
    Demand d = {.s = s, .depth = depth};
    bool *wanted = arena_copy(s->c->arena, keep, count * sizeof *keep);
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
    for (size_t i = 0; i < body->stm_count; i++) {
        if (must_stay(body->stms[i]->exp)) {
            core_each_free(body->stms[i], demand, &d);
        }
    }
    while (d.waiting.count > 0) {
        const Fact *fact = simplify_fact(s, d.waiting.items[--d.waiting.count]);
        if (fact->state > 0 && fact->state <= count &&
            exp->as.loop.parameters[fact->state - 1] == fact->name) {
            demand_parameter(&d, exp, fact->state - 1, keep);
        } else if (fact->stm) {
            core_each_free(fact->stm, demand, &d);
            for (size_t i = 0; i < fact->stm->pattern_count; i++) {
                demand(&d, fact->stm->pattern[i]);
            }
        }
    }
}

static void thin_loop(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t count, total = exp->as.loop.parameter_count;
    bool *keep = live_pattern(s, stm, &count);
    needed_state(s, exp, depth + 1, keep);
    count = 0;
    for (size_t i = 0; i < total; i++) {
        count += keep[i];
    }
    if (count < total && stm->certificate_count == 0) {
        exp->as.loop.parameters = kept_names(s, total, exp->as.loop.parameters, keep);
        exp->as.loop.initial = kept_atoms(s, total, exp->as.loop.initial, keep);
        exp->as.loop.body = kept_results(s, exp->as.loop.body, keep);
        exp->as.loop.parameter_count = count;
        keep_pattern(s, stm, keep, count);
        simplify_fired(s, CORE_RULE_UNUSED_STATE);
    }
    exp->as.loop.body = dead_body(s, exp->as.loop.body, depth + 1);
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        live_type(s, exp->as.loop.parameters[i]->type);
    }
}

/* ---- SOACs
 * -------------------------------------------------------------------------------------------------
 */

static CoreLambda *dead_lambda(Simplify *s, const CoreLambda *old, int depth)
{
    CoreLambda *lambda = arena_copy(s->c->arena, old, sizeof *lambda);
    lambda->body = dead_body(s, old->body, depth + 1);
    for (size_t i = 0; i < lambda->body->result_count; i++) {
        live_type(s, lambda->result_types[i]);
    }
    return lambda;
}

static size_t dead_reductions(Simplify *s, size_t count, const CoreReduction **reductions,
                              int depth)
{
    CoreReduction *kept = arena_copy(s->c->arena, *reductions, count * sizeof *kept);
    size_t operands = 0;
    for (size_t i = 0; i < count; i++) {
        kept[i].function = dead_lambda(s, kept[i].function, depth);
        operands += kept[i].function->body->result_count;
        for (size_t j = 0; j < kept[i].function->parameter_count; j++) {
            live_type(s, kept[i].function->parameters[j]->type);
        }
    }
    *reductions = kept;
    return operands;
}

/* Mapped results that nobody uses; operands of reductions and scans stay. */
static const CoreLambda *thin_results(Simplify *s, CoreStm *stm, const CoreLambda *old,
                                      size_t operands)
{
    size_t live_count, count = stm->pattern_count;
    bool *keep = live_pattern(s, stm, &live_count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        keep[i] = keep[i] || i < operands;
        kept += keep[i];
    }
    if (kept == count || stm->certificate_count > 0) {
        return old;
    }
    CoreLambda *map = arena_copy(s->c->arena, old, sizeof *map);
    CoreType *types = ARENA_ARRAY(s->c->arena, CoreType, count);
    for (size_t i = 0, n = 0; i < count; i++) {
        if (keep[i]) {
            types[n++] = old->result_types[i];
        }
    }
    map->body = kept_results(s, old->body, keep);
    map->result_types = types;
    keep_pattern(s, stm, keep, kept);
    simplify_fired(s, CORE_RULE_UNUSED_RESULT);
    return map;
}

/* Inputs whose parameter nobody uses; one of them stays. */
static void thin_inputs(Simplify *s, CoreSoac *soac, CoreLambda *map)
{
    size_t kept = 0, count = soac->input_count;
    bool *keep = ARENA_ARRAY(s->c->arena, bool, count);
    for (size_t i = 0; i < count; i++) {
        keep[i] = is_live(s, map->parameters[i]);
        kept += keep[i];
    }
    if (kept == 0 && count > 0) {
        keep[0] = true;
        kept = 1;
    }
    if (kept < count) {
        soac->inputs = kept_atoms(s, count, soac->inputs, keep);
        soac->input_count = kept;
        map->parameters = kept_names(s, count, map->parameters, keep);
        map->parameter_count = kept;
        simplify_fired(s, CORE_RULE_UNUSED_INPUT);
    }
}

static void thin_soac(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    CoreSoac *soac = &exp->as.soac;
    size_t operands = dead_reductions(s, soac->reduction_count, &soac->reductions, depth);
    operands += dead_reductions(s, soac->scan_count, &soac->scans, depth);
    CoreLambda *map = dead_lambda(s, thin_results(s, stm, soac->map, operands), depth);
    thin_inputs(s, soac, map);
    for (size_t i = 0; i < map->parameter_count; i++) {
        live_type(s, map->parameters[i]->type);
    }
    soac->map = map;
}

static void thin_stream(Simplify *s, CoreExp *exp, int depth)
{
    exp->as.stream.fold = dead_lambda(s, exp->as.stream.fold, depth);
    for (size_t i = 0; i < exp->as.stream.fold->parameter_count; i++) {
        live_type(s, exp->as.stream.fold->parameters[i]->type);
    }
    if (exp->as.stream.reduce) {
        exp->as.stream.reduce = dead_lambda(s, exp->as.stream.reduce, depth);
        for (size_t i = 0; i < exp->as.stream.reduce->parameter_count; i++) {
            live_type(s, exp->as.stream.reduce->parameters[i]->type);
        }
    }
}

/* ---- statements
 * ------------------------------------------------------------------------------------------- */

static const CoreStm *thin(Simplify *s, const CoreStm *old, int depth)
{
    CoreStm *stm = arena_copy(s->c->arena, old, sizeof *stm);
    CoreExp *exp = simplify_exp(s->c, old->exp);
    stm->exp = exp;
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF: thin_if(s, stm, exp, depth); break;
    case CORE_EXP_LOOP: thin_loop(s, stm, exp, depth); break;
    case CORE_EXP_SOAC: thin_soac(s, stm, exp, depth); break;
    case CORE_EXP_FILTER:
        exp->as.filter.predicate = dead_lambda(s, exp->as.filter.predicate, depth);
        for (size_t i = 0; i < exp->as.filter.predicate->parameter_count; i++) {
            live_type(s, exp->as.filter.predicate->parameters[i]->type);
        }
        break;
    case CORE_EXP_HIST: {
        CoreLambda *op = dead_lambda(s, exp->as.scatter.op, depth);
        for (size_t i = 0; i < op->parameter_count; i++) {
            live_type(s, op->parameters[i]->type);
        }
        exp->as.scatter.op = op;
        break;
    }
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: thin_stream(s, exp, depth); break;
    }
    core_each_operand(exp, live, s);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        live(s, stm->certificates[i]);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        live_type(s, stm->pattern[i]->type);
    }
    return stm;
}

static const CoreBody *dead_body(Simplify *s, const CoreBody *old, int depth)
{
    const CoreStm **kept = ARENA_ARRAY(s->c->arena, const CoreStm *, old->stm_count);
    size_t first = old->stm_count;
    for (size_t i = 0; i < old->result_count; i++) {
        live(s, old->results[i]);
    }
    for (size_t i = old->stm_count; i-- > 0;) {
        const CoreStm *stm = old->stms[i];
        bool used = false;
        for (size_t j = 0; j < stm->pattern_count && !used; j++) {
            used = is_live(s, stm->pattern[j]);
        }
        if (used || must_stay(stm->exp)) {
            kept[--first] = thin(s, stm, depth);
        } else {
            simplify_fired(s, CORE_RULE_DEAD);
        }
    }
    CoreBody *body = arena_copy(s->c->arena, old, sizeof *body);
    body->stms = kept + first;
    body->stm_count = old->stm_count - first;
    return body;
}

const CoreFunction *simplify_dead(Simplify *s, const CoreFunction *old)
{
    CoreFunction *function = arena_copy(s->c->arena, old, sizeof *function);
    for (size_t i = 0; i < old->result_count; i++) {
        live_type(s, old->result_types[i]);
    }
    function->body = dead_body(s, old->body, 1);
    return function;
}
