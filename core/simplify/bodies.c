/* Scopes: the walk into branches, loops and functions of SOACs. A scope collects the statements
   that stay in its body; others go to scopes around it (hoist.c).

       loop (p = a) for i < n do { S in r }      a scope that runs where n > 0; 0 <= i < n in it
       map n xs (\x -> { S in r })               the same, of n

   What is learnt of a name inside a scope is forgotten when the scope closes. */
#include "core/simplify/simplify.h"

#include <limits.h>

Scope *simplify_open(Simplify *s, ScopeKind kind)
{
    Scope *scope = ARENA_NEW(s->c->arena, Scope);
    scope->kind = kind;
    s->depth++;
    if (s->depth >= NESTING_LIMIT + 4) {
        internal_error(s->c, "nesting beyond the limit that the checker sets");
    }
    s->scopes[s->depth] = scope;
    return scope;
}

void simplify_forget_entries(Simplify *s, Scope *scope);

const CoreBody *simplify_close(Simplify *s, size_t count, const CoreAtom *results)
{
    Scope *scope = s->scopes[s->depth];
    simplify_forget_entries(s, scope);
    for (size_t i = 0; i < scope->learned.count; i++) {
        Fact *fact = scope->learned.items[i];
        if (fact->not_negative_depth == s->depth) {
            fact->not_negative_depth = INT_MAX;
        }
        if (fact->positive_depth == s->depth) {
            fact->positive_depth = INT_MAX;
        }
    }
    s->scopes[s->depth--] = NULL;
    if (s->depth > 0 && scope->barrier) {
        s->scopes[s->depth]->barrier = true;
    }
    CoreBody *body = ARENA_NEW(s->c->arena, CoreBody);
    *body = (CoreBody){scope->stms.count, scope->stms.items, count, results};
    return body;
}

void simplify_learn(Simplify *s, CoreAtom atom, int64_t least, int depth)
{
    if (!atom.name) {
        return;
    }
    Fact *fact = simplify_fact(s, atom.name);
    int *known = least > 0 ? &fact->positive_depth : &fact->not_negative_depth;
    if (*known > depth) {
        *known = depth;
        vec_push(s->c->arena, &s->scopes[depth]->learned, fact);
    }
}

/* Sizes are not negative where an array that has them is bound. */
void simplify_learn_sizes(Simplify *s, CoreType type, int depth)
{
    for (int i = 0; i < type.rank; i++) {
        simplify_learn(s, type.sizes[i], 0, depth);
    }
}

void simplify_bind_parameter(Simplify *s, CoreName *name)
{
    simplify_fact(s, name)->depth = s->depth;
    simplify_learn_sizes(s, name->type, s->depth);
}

static CoreName *const *bind_parameters(Simplify *s, size_t count, CoreName *const *old)
{
    CoreName **names = ARENA_ARRAY(s->c->arena, CoreName *, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = simplify_retyped(s, old[i]);
        simplify_bind_parameter(s, names[i]);
    }
    return names;
}

static const CoreBody *close_body(Simplify *s, const CoreBody *old)
{
    simplify_statements(s, old);
    const CoreAtom *results =
        simplify_map_atoms(s->c, old->result_count, old->results, simplify_now, s);
    return simplify_close(s, old->result_count, results);
}

/* 0 <= name < bound. */
static void bind_index(Simplify *s, const CoreName *name, CoreAtom bound)
{
    Fact *fact = simplify_fact(s, name);
    fact->depth = s->depth;
    fact->has_range = fact->has_below = true;
    fact->low = 0;
    fact->below = bound;
    fact->below_add = 0;
}

/* ---- branches and loops
 * ---------------------------------------------------------------------------- */

static void rebuild_if(Simplify *s, CoreExp *exp)
{
    simplify_open(s, SCOPE_BRANCH);
    exp->as.conditional.then_body = close_body(s, exp->as.conditional.then_body);
    simplify_open(s, SCOPE_BRANCH);
    exp->as.conditional.else_body = close_body(s, exp->as.conditional.else_body);
}

static CoreAtom initial_condition(const CoreExp *exp)
{
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        if (exp->as.loop.parameters[i] == exp->as.loop.condition) {
            return exp->as.loop.initial[i];
        }
    }
    return core_bool(false);
}

/* When the body runs at least once: n > 0, or the condition holds at first. */
static void loop_scope(Simplify *s, const CoreExp *exp)
{
    CoreAtom condition = exp->as.loop.index ? core_bool(true) : initial_condition(exp);
    bool runs = exp->as.loop.index ? simplify_is_positive(s, exp->as.loop.bound)
                                   : !condition.name && condition.as.integer;
    Scope *scope = simplify_open(s, SCOPE_LOOP);
    scope->may_hoist = true;
    scope->runs = runs;
    scope->can_weaken = true;
    scope->unreached_left = exp->as.loop.index ? exp->as.loop.bound : condition;
    scope->unreached_right = core_i64(0);
    scope->unreached_is_not = exp->as.loop.index == NULL;
}

static void rebuild_loop(Simplify *s, CoreExp *exp)
{
    size_t count = exp->as.loop.parameter_count, condition = 0;
    for (size_t i = 0; i < count && !exp->as.loop.index; i++) {
        condition = exp->as.loop.parameters[i] == exp->as.loop.condition ? i : condition;
    }
    loop_scope(s, exp);
    exp->as.loop.parameters = bind_parameters(s, count, exp->as.loop.parameters);
    if (exp->as.loop.index) {
        bind_index(s, exp->as.loop.index, exp->as.loop.bound);
    } else {
        exp->as.loop.condition = exp->as.loop.parameters[condition];
    }
    exp->as.loop.body = close_body(s, exp->as.loop.body);
    exp->as.loop.body = simplify_induction(s, exp);
    if (!exp->as.loop.index) {
        s->scopes[s->depth]->barrier = true; /* it may never end */
    }
}

/* ---- functions of SOACs
 * ---------------------------------------------------------------------------- */

/* The range of a parameter that is an element of an iota, or of a slice of one. */
static void element_range(Simplify *s, const CoreName *parameter, CoreAtom input)
{
    const CoreStm *stm = simplify_definition(s, input, false);
    CoreAtom offset = core_i64(0);
    if (parameter->type.rank > 0) {
        return;
    }
    if (stm && stm->exp->kind == CORE_EXP_IOTA) {
        bind_index(s, parameter, stm->exp->as.count);
        return;
    }
    if (!stm || stm->exp->kind != CORE_EXP_SLICE || stm->exp->as.slice.count != 1) {
        return;
    }
    CoreSlice slice = stm->exp->as.slice.slices[0];
    stm = simplify_definition(s, stm->exp->as.slice.array, false);
    offset = slice.offset;
    if (!stm || stm->exp->kind != CORE_EXP_IOTA || offset.name || offset.as.integer < 0 ||
        slice.stride.name || slice.stride.as.integer != 1) {
        return;
    }
    bind_index(s, parameter, slice.count);
    Fact *fact = simplify_fact(s, parameter);
    fact->low = offset.as.integer;
    fact->below_add = offset.as.integer;
}

static const CoreLambda *rebuild_lambda(Simplify *s, const CoreLambda *old, const CoreAtom *inputs)
{
    CoreLambda *lambda = arena_copy(s->c->arena, old, sizeof *old);
    lambda->parameters = bind_parameters(s, old->parameter_count, old->parameters);
    for (size_t i = 0; inputs && i < old->parameter_count; i++) {
        element_range(s, lambda->parameters[i], inputs[i]);
    }
    s->lambdas++;
    CoreType *types = ARENA_ARRAY(s->c->arena, CoreType, old->body->result_count);
    lambda->body = close_body(s, old->body);
    s->lambdas--;
    for (size_t i = 0; i < old->body->result_count; i++) {
        types[i] = simplify_map_type(s->c, old->result_types[i], simplify_now, s);
    }
    lambda->result_types = types;
    return lambda;
}

/* A function that is applied to each of `width` rows, and to nothing before. */
static const CoreLambda *rebuild_mapped(Simplify *s, const CoreLambda *old, CoreAtom width,
                                        const CoreAtom *inputs)
{
    bool runs = simplify_is_positive(s, width);
    Scope *scope = simplify_open(s, SCOPE_LAMBDA);
    scope->may_hoist = true;
    scope->runs = runs;
    scope->can_weaken = true;
    scope->unreached_left = width;
    scope->unreached_right = core_i64(0);
    return rebuild_lambda(s, old, inputs);
}

/* A function that may not be applied at all. */
static const CoreLambda *rebuild_operator(Simplify *s, const CoreLambda *old)
{
    simplify_open(s, SCOPE_LAMBDA)->may_hoist = true;
    return rebuild_lambda(s, old, NULL);
}

static const CoreReduction *rebuild_reductions(Simplify *s, size_t count, const CoreReduction *old)
{
    CoreReduction *reductions = arena_copy(s->c->arena, old, count * sizeof *old);
    for (size_t i = 0; i < count; i++) {
        reductions[i].function = rebuild_operator(s, old[i].function);
    }
    return reductions;
}

static void rebuild_fold(Simplify *s, CoreExp *exp)
{
    simplify_open(s, SCOPE_LAMBDA)->may_hoist = true;
    simplify_learn(s, core_use(exp->as.stream.fold->parameters[0]), 0, s->depth);
    exp->as.stream.fold = rebuild_lambda(s, exp->as.stream.fold, NULL);
    if (exp->as.stream.reduce) {
        exp->as.stream.reduce = rebuild_operator(s, exp->as.stream.reduce);
    }
}

void simplify_bodies(Simplify *s, Work *work)
{
    CoreExp *exp = simplify_exp(s->c, work->exp);
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF: rebuild_if(s, exp); break;
    case CORE_EXP_LOOP: rebuild_loop(s, exp); break;
    case CORE_EXP_SOAC:
        exp->as.soac.map =
            rebuild_mapped(s, exp->as.soac.map, exp->as.soac.width, exp->as.soac.inputs);
        exp->as.soac.reductions =
            rebuild_reductions(s, exp->as.soac.reduction_count, exp->as.soac.reductions);
        exp->as.soac.scans = rebuild_reductions(s, exp->as.soac.scan_count, exp->as.soac.scans);
        break;
    case CORE_EXP_FILTER:
        exp->as.filter.predicate = rebuild_mapped(s, exp->as.filter.predicate, exp->as.filter.width,
                                                  exp->as.filter.inputs);
        break;
    case CORE_EXP_HIST: exp->as.scatter.op = rebuild_operator(s, exp->as.scatter.op); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: rebuild_fold(s, exp); break;
    default: return;
    }
    work->exp = exp;
}
