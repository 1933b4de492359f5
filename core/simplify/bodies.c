/* Scopes: the walk into branches, loops and functions of SOACs. A scope collects the statements
   that stay in its body; others go to scopes around it (hoist.c).

       loop (p = a) for i < n do { S in r }      a scope that runs where n > 0; 0 <= i < n in it
       map n xs (\x -> { S in r })               the same, of n

   What is learnt of a name inside a scope is forgotten when the scope closes. */
#include "core/simplify/simplify.h"

#include <limits.h>

Scope *simplify_open(Simplify *s, ScopeKind kind)
{
    Scope *scope = ARENA_NEW(s->arena, Scope);
    scope->kind = kind;
    s->depth++;
    if (s->depth >= NESTING_LIMIT + 4) {
        internal_error(s->c, "nesting beyond the limit that the checker sets");
    }
    s->scopes[s->depth] = scope;
    return scope;
}

static bool is_same_body(const CoreBody *old, const StmVec *stms, size_t count,
                         const CoreAtom *results)
{
    return old->stm_count == stms->count && old->result_count == count && old->results == results &&
           (stms->count == 0 ||
            memcmp(old->stms, stms->items, stms->count * sizeof *stms->items) == 0);
}

const CoreBody *simplify_close(Simplify *s, size_t count, const CoreAtom *results,
                               const CoreBody *old)
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
        if (fact->extent_depth == s->depth) {
            fact->extent_depth = INT_MAX;
        }
        simplify_forget_bounds(fact, s->depth);
    }
    for (size_t i = 0; i < scope->known.count; i++) {
        scope->known.items[i]->replaced = false;
    }
    s->scopes[s->depth--] = NULL;
    if (s->depth > 0 && scope->barrier) {
        s->scopes[s->depth]->barrier = true;
    }
    if (is_same_body(old, &scope->stms, count, results)) {
        return old;
    }
    CoreBody *body = ARENA_NEW(s->c->arena, CoreBody);
    *body = (CoreBody){scope->stms.count, NULL, count, results};
    body->stms =
        arena_copy(s->c->arena, scope->stms.items, scope->stms.count * sizeof *scope->stms.items);
    return body;
}

/* x * y > 0  ==>  x > 0, y > 0 where neither is negative, also where the product has wrapped. */
static void learn_factors(Simplify *s, CoreAtom product, int depth)
{
    const CoreExp *exp = simplify_operation(s, product, CORE_MUL);
    if (exp && exp->as.scalar.prim == CORE_I64 &&
        simplify_is_not_negative(s, exp->as.scalar.x, depth) &&
        simplify_is_not_negative(s, exp->as.scalar.y, depth)) {
        simplify_learn(s, exp->as.scalar.x, 1, depth);
        simplify_learn(s, exp->as.scalar.y, 1, depth);
    }
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
        vec_push(s->arena, &s->scopes[depth]->learned, fact);
        if (least > 0) {
            learn_factors(s, atom, depth);
        }
    }
}

/* Sizes are extents where an array that has them is bound: not negative, nor beyond all memory. */
void simplify_learn_sizes(Simplify *s, CoreType type, int depth)
{
    for (int i = 0; i < type.rank; i++) {
        CoreName *name = type.sizes[i].name;
        if (name && simplify_fact(s, name)->extent_depth > depth) {
            simplify_fact(s, name)->extent_depth = depth;
            vec_push(s->arena, &s->scopes[depth]->learned, simplify_fact(s, name));
        }
    }
}

void simplify_bind_parameter(Simplify *s, CoreName *name)
{
    simplify_fact(s, name)->depth = s->depth;
    simplify_learn_sizes(s, name->type, s->depth);
}

static CoreName *const *bind_parameters(Simplify *s, size_t count, CoreName *const *old)
{
    CoreName *const *names = simplify_retyped_all(s, count, old);
    for (size_t i = 0; i < count; i++) {
        simplify_bind_parameter(s, names[i]);
    }
    return names;
}

static const CoreBody *close_body(Simplify *s, const CoreBody *old)
{
    simplify_statements(s, old);
    const CoreAtom *results =
        core_map_atoms(s->c, old->result_count, old->results, simplify_now, s);
    for (size_t i = 0; i < old->result_count && s->scopes[s->depth]->kind == SCOPE_LAMBDA; i++) {
        if (results[i].name) {
            Fact *fact = simplify_fact(s, results[i].name);
            simplify_outer_bounds(s, results[i], &fact->outer_lower, &fact->outer_upper);
        }
    }
    return simplify_close(s, old->result_count, results, old);
}

/* 0 <= name < bound: the body runs for no other. */
static void bind_index(Simplify *s, CoreName *name, CoreAtom bound)
{
    Fact *fact = simplify_fact(s, name);
    Linear *lower = ARENA_NEW(s->arena, Linear), *upper = ARENA_NEW(s->arena, Linear);
    fact->depth = s->depth;
    fact->lower = lower;
    fact->upper = upper;
    if (bound.name) {
        *upper = (Linear){.count = 1, .constant = (uint64_t)-1, .terms = {{bound.name, 1}}};
    } else {
        upper->constant = (uint64_t)bound.as.integer - 1;
    }
}

/* ---- branches and loops ---------------------------------------------------------------------- */

static void rebuild_if(Simplify *s, CoreExp *exp)
{
    simplify_open(s, SCOPE_BRANCH);
    simplify_learn_condition(s, exp->as.conditional.condition, true, s->depth);
    const CoreStm *filter = simplify_replace_kept(s, exp);
    exp->as.conditional.then_body = close_body(s, exp->as.conditional.then_body);
    for (size_t k = 0; filter && k < filter->pattern_count; k++) {
        simplify_fact(s, filter->pattern[k])->replaced = false;
    }
    simplify_open(s, SCOPE_BRANCH);
    simplify_learn_condition(s, exp->as.conditional.condition, false, s->depth);
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
    if (exp->as.loop.index) {
        simplify_learn(s, exp->as.loop.bound, 1, s->depth);
    }
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
        simplify_learn_condition(s, core_use(exp->as.loop.condition), true, s->depth);
    }
    exp->as.loop.body = close_body(s, exp->as.loop.body);
    exp->as.loop.body = simplify_induction(s, exp);
    if (!exp->as.loop.index) {
        s->scopes[s->depth]->barrier = true; /* it may never end */
    }
}

/* ---- functions of SOACs ---------------------------------------------------------------------- */

/* A parameter that is a row of the input: its elements, or itself, have the input's bounds. */
static void bind_row(Simplify *s, const CoreName *parameter, CoreAtom input)
{
    Fact *row = simplify_fact(s, parameter);
    const Fact *array = simplify_fact(s, input.name);
    row->lower = array->lower;
    row->upper = array->upper;
}

const CoreType *simplify_types_now(Simplify *s, size_t count, const CoreType *old)
{
    CoreType *types = NULL;
    for (size_t i = 0; i < count; i++) {
        CoreType type = core_map_type(s->c, old[i], simplify_now, s);
        if (type.sizes != old[i].sizes) {
            types = types ? types : arena_copy(s->c->arena, old, count * sizeof *old);
            types[i] = type;
        }
    }
    return types ? types : old;
}

static const CoreLambda *rebuild_lambda(Simplify *s, const CoreLambda *old, const CoreAtom *inputs)
{
    CoreLambda lambda = *old;
    lambda.parameters = bind_parameters(s, old->parameter_count, old->parameters);
    for (size_t i = 0; inputs && i < old->parameter_count; i++) {
        bind_row(s, lambda.parameters[i], inputs[i]);
    }
    s->lambdas++;
    lambda.body = close_body(s, old->body);
    s->lambdas--;
    lambda.result_types = simplify_types_now(s, old->body->result_count, old->result_types);
    bool same = lambda.parameters == old->parameters && lambda.body == old->body &&
                lambda.result_types == old->result_types;
    return same ? old : arena_copy(s->c->arena, &lambda, sizeof lambda);
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
    simplify_learn(s, width, 1, s->depth);
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
    CoreReduction *reductions = NULL;
    for (size_t i = 0; i < count; i++) {
        const CoreLambda *function = rebuild_operator(s, old[i].function);
        if (function != old[i].function) {
            reductions =
                reductions ? reductions : arena_copy(s->c->arena, old, count * sizeof *old);
            reductions[i].function = function;
        }
    }
    return reductions ? reductions : old;
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
    if (!core_has_bodies(work->exp->kind)) {
        return;
    }
    CoreExp rebuilt = *work->exp, *exp = &rebuilt;
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
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
        exp->as.filter.predicate = rebuild_mapped(s, exp->as.filter.predicate, exp->as.filter.width,
                                                  exp->as.filter.inputs);
        break;
    case CORE_EXP_HIST: exp->as.scatter.op = rebuild_operator(s, exp->as.scatter.op); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: rebuild_fold(s, exp); break;
    }
    if (!core_has_same_bodies(exp, work->exp)) {
        work->exp = core_exp_copy(s->c, exp);
    }
}
