/* [L0 5.3, 6.1] Control whose outcome is known.

       if true then S else T             ==>  S
       if c then x else x                ==>  x             if c then true else false  ==>  c
       loop (p = a) for i < 0 do S       ==>  a
       loop (p = a) for i < 1 do S in r  ==>  S[a/p, 0/i] in r
       loop (p = a) ... do S in p        ==>  a, and a in S: p never changes
       loop (k = a) for i < n do S in k + c  ==>  a + n*c, and a + i*c in S: k counts

       let (m, ys : [m]) = filter n (xs) p     let (m, ys : [m]) = filter n (xs) p
       if m == n then { .. ys .. m .. }   ==>  if m == n then { .. xs .. n .. }

   Statements under a certificate keep their shape: what is inside would lose its guard. */
#include "core/simplify/simplify.h"

/* Never NULL: results say that the statement is gone, also where there are none. */
static const CoreAtom *now_all(Simplify *s, size_t count, const CoreAtom *atoms)
{
    return count > 0 ? core_map_atoms(s->c, count, atoms, simplify_now, s)
                     : ARENA_ARRAY(s->c->arena, CoreAtom, 1);
}

static bool known_if(Simplify *s, Work *work)
{
    CoreAtom condition = work->exp->as.conditional.condition;
    if (condition.name) {
        return false;
    }
    const CoreBody *taken = condition.as.integer ? work->exp->as.conditional.then_body
                                                 : work->exp->as.conditional.else_body;
    simplify_statements(s, taken);
    work->results = now_all(s, taken->result_count, taken->results);
    simplify_fired(s, CORE_RULE_IF);
    return true;
}

static bool never_runs(const CoreExp *exp)
{
    if (exp->as.loop.index) {
        return !exp->as.loop.bound.name && exp->as.loop.bound.as.integer <= 0;
    }
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        if (exp->as.loop.parameters[i] == exp->as.loop.condition) {
            return !exp->as.loop.initial[i].name && !exp->as.loop.initial[i].as.integer;
        }
    }
    return false;
}

static bool short_loop(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    const CoreBody *body = exp->as.loop.body;
    size_t count = exp->as.loop.parameter_count;
    if (never_runs(exp)) {
        work->results = now_all(s, count, exp->as.loop.initial);
        simplify_fired(s, CORE_RULE_SHORT_LOOP);
        return true;
    }
    if (!exp->as.loop.index || exp->as.loop.bound.name || exp->as.loop.bound.as.integer != 1) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        simplify_replace(s, exp->as.loop.parameters[i], exp->as.loop.initial[i]);
    }
    simplify_replace(s, exp->as.loop.index, core_i64(0));
    simplify_statements(s, body);
    work->results = now_all(s, count, body->results);
    simplify_fired(s, CORE_RULE_SHORT_LOOP);
    return true;
}

/* Before the bodies are rebuilt. True where the statement is gone. */
bool simplify_control(Simplify *s, Work *work)
{
    if (work->certificate_count > 0) {
        return false;
    }
    return work->exp->kind == CORE_EXP_IF     ? known_if(s, work)
           : work->exp->kind == CORE_EXP_LOOP ? short_loop(s, work)
                                              : false;
}

/* ---- state that is known: invariant, or counting -------------------------------------------------- */

static bool is_invariant(Simplify *s, const CoreExp *exp, size_t i)
{
    const CoreName *parameter = exp->as.loop.parameters[i];
    CoreAtom next = exp->as.loop.body->results[i], first = exp->as.loop.initial[i];
    CoreType type = core_map_type(s->c, parameter->type, simplify_now, s);
    return parameter != exp->as.loop.condition && core_same_type(type, core_atom_type(first)) &&
           (next.name == parameter ||
            (!parameter->type.unique && core_atom_equal(simplify_now(s, next), first)));
}

static bool is_extent_of_state(const CoreExp *exp, const CoreName *parameter)
{
    bool found = false;
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        CoreType type = exp->as.loop.parameters[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            found = found || type.sizes[axis].name == parameter;
        }
    }
    return found;
}

static const CoreStm *binder(const CoreBody *body, const CoreName *name)
{
    for (size_t k = 0; k < body->stm_count; k++) {
        if (core_stm_binds(body->stms[k], name)) {
            return body->stms[k];
        }
    }
    return NULL;
}

/* Whether the loop, which was not yet rebuilt, has this name from outside, as its body does not bind it. */
static bool is_from_outside(const CoreExp *exp, CoreAtom atom)
{
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        if (exp->as.loop.parameters[i] == atom.name) {
            return false;
        }
    }
    return !atom.name || (atom.name != exp->as.loop.index && !binder(exp->as.loop.body, atom.name));
}

/* k' = k + step, or k - step, in every iteration. */
static bool is_counting(Simplify *s, const CoreExp *exp, size_t i, CoreAtom *step,
                        CoreOperator *direction)
{
    const CoreName *parameter = exp->as.loop.parameters[i];
    const CoreBody *body = exp->as.loop.body;
    if (!exp->as.loop.index || parameter->type.rank > 0 || parameter->type.prim != CORE_I64 ||
        !body->results[i].name || is_extent_of_state(exp, parameter)) {
        return false;
    }
    const CoreStm *stm = binder(body, body->results[i].name);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    *direction = stm->exp->as.scalar.op;
    bool crossed = *direction == CORE_ADD && y.name == parameter;
    CoreAtom other = crossed ? x : y;
    *step = simplify_now(s, other);
    return (*direction == CORE_ADD || *direction == CORE_SUB) && (crossed || x.name == parameter) &&
           is_from_outside(exp, other);
}

/* In the body it is first + i * step, after it first + n * step. */
static void replace_counter(Simplify *s, const Work *work, size_t i, CoreAtom step,
                            CoreOperator direction, CoreBuilder *b)
{
    const CoreExp *exp = work->exp;
    CoreAtom first = exp->as.loop.initial[i], bound = exp->as.loop.bound;
    const CoreName *parameter = exp->as.loop.parameters[i];
    CoreAtom way = core_let_binary(b, "way", CORE_MUL, core_use(exp->as.loop.index), step);
    simplify_replace(s, parameter, core_let_binary(b, parameter->text, direction, first, way));
    CoreAtom times = simplify_is_not_negative(s, bound, s->depth)
                         ? bound
                         : simplify_binary(s, work, "times", CORE_MAX, bound, core_i64(0));
    CoreAtom whole = simplify_binary(s, work, "way", CORE_MUL, times, step);
    simplify_replace(s, work->pattern[i],
                     simplify_binary(s, work, parameter->text, direction, first, whole));
}

/* A loop with the other parameters only. */
void simplify_known_state(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (exp->kind != CORE_EXP_LOOP || work->certificate_count > 0) {
        return;
    }
    size_t count = exp->as.loop.parameter_count, kept = 0;
    CoreName **parameters = ARENA_ARRAY(s->c->arena, CoreName *, count);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, count);
    CoreAtom *initial = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    CoreAtom *results = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    CoreBuilder b = core_builder(s->c, work->span);
    for (size_t i = 0; i < count; i++) {
        CoreAtom step;
        CoreOperator direction;
        if (is_invariant(s, exp, i)) {
            simplify_replace(s, exp->as.loop.parameters[i], exp->as.loop.initial[i]);
            simplify_replace(s, work->pattern[i], exp->as.loop.initial[i]);
            simplify_fired(s, CORE_RULE_INVARIANT_STATE);
        } else if (is_counting(s, exp, i, &step, &direction)) {
            replace_counter(s, work, i, step, direction, &b);
            simplify_fired(s, CORE_RULE_COUNTING_STATE);
        } else {
            parameters[kept] = exp->as.loop.parameters[i];
            pattern[kept] = work->pattern[i];
            initial[kept] = exp->as.loop.initial[i];
            results[kept++] = exp->as.loop.body->results[i];
        }
    }
    if (kept == count) {
        return;
    }
    CoreExp *smaller = core_exp_copy(s->c, exp);
    CoreBody *body = arena_copy(s->c->arena, exp->as.loop.body, sizeof *body);
    for (size_t i = 0; i < exp->as.loop.body->stm_count; i++) {
        vec_push(s->c->arena, &b.stms, exp->as.loop.body->stms[i]);
    }
    body->stm_count = b.stms.count;
    body->stms = b.stms.items;
    body->result_count = kept;
    body->results = results;
    smaller->as.loop.parameter_count = kept;
    smaller->as.loop.parameters = parameters;
    smaller->as.loop.initial = initial;
    smaller->as.loop.body = body;
    work->exp = smaller;
    work->pattern = pattern;
    work->pattern_count = kept;
}

/* ---- equal results of branches --------------------------------------------------------------- */

static bool is_outside(Simplify *s, CoreAtom atom)
{
    return !atom.name || simplify_fact(s, atom.name)->depth <= s->depth;
}

/* The scalar arithmetic of outside operands that binds the result in its branch; NULL: nothing so simple does. */
static const CoreExp *plain_result(Simplify *s, CoreAtom result)
{
    const CoreStm *stm = simplify_definition(s, result, false);
    const CoreExp *exp = stm ? stm->exp : NULL;
    if (!exp || core_atom_type(result).rank > 0) {
        return NULL;
    }
    switch ((int)exp->kind) { /* others are not arithmetic */
    case CORE_EXP_UNARY: return is_outside(s, exp->as.scalar.x) ? exp : NULL;
    case CORE_EXP_CONVERT: return is_outside(s, exp->as.convert.x) ? exp : NULL;
    case CORE_EXP_BINARY:
        return is_outside(s, exp->as.scalar.x) && is_outside(s, exp->as.scalar.y) ? exp : NULL;
    }
    return NULL;
}

/* [L0 5.3] if c then { let y = x + 1 in y } else { ... let z = x + 1 in z }  ==>  let y = x + 1: counters of tail calls
   are counted whichever branch is taken. */
static bool equal_arithmetic(Simplify *s, const Work *work, size_t i, CoreAtom a, CoreAtom b)
{
    const CoreExp *x = plain_result(s, a), *y = plain_result(s, b);
    if (!x || !y || x->kind != y->kind) {
        return false;
    }
    bool same =
        x->kind == CORE_EXP_CONVERT
            ? core_atom_equal(x->as.convert.x, y->as.convert.x) &&
                  core_same_type(core_atom_type(a), core_atom_type(b))
            : x->as.scalar.op == y->as.scalar.op && x->as.scalar.prim == y->as.scalar.prim &&
                  core_atom_equal(x->as.scalar.x, y->as.scalar.x) &&
                  (x->kind == CORE_EXP_UNARY || core_atom_equal(x->as.scalar.y, y->as.scalar.y));
    if (same) {
        const CoreName *name = work->pattern[i];
        simplify_replace(s, name, simplify_let(s, work, name->text, name->type, x));
        simplify_fired(s, CORE_RULE_IF);
    }
    return same;
}

/* [L0 5.3] if c then x else false  ==>  c & x, where x costs little and cannot fail: what is lazy
   in the source need not be, and what is known of c & x is then known of both. */
static bool lazy_operator(Simplify *s, Work *work)
{
    enum { MOST = 4 };
    const CoreBody *yes = work->exp->as.conditional.then_body,
                   *no = work->exp->as.conditional.else_body;
    bool else_is_plain = no->stm_count == 0;
    const CoreBody *other = else_is_plain ? yes : no, *plain = else_is_plain ? no : yes;
    if (work->pattern_count != 1 || core_atom_type(yes->results[0]).rank > 0 ||
        core_atom_type(yes->results[0]).prim != CORE_BOOL || plain->stm_count > 0 ||
        plain->results[0].name || other->stm_count > MOST) {
        return false;
    }
    for (size_t i = 0; i < other->stm_count; i++) {
        const CoreStm *stm = other->stms[i];
        bool cheap = stm->exp->kind == CORE_EXP_UNARY || stm->exp->kind == CORE_EXP_BINARY;
        if (!cheap || stm->certificate_count > 0 || core_is_real(stm->exp->as.scalar.prim)) {
            return false;
        }
    }
    for (size_t i = 0; i < other->stm_count; i++) {
        const CoreStm *stm = other->stms[i];
        Work moved = {.pattern_count = stm->pattern_count,
                      .pattern = stm->pattern,
                      .exp = core_map_operands(s->c, stm->exp, simplify_now, s),
                      .span = stm->span};
        simplify_emit(s, &moved);
    }
    CoreAtom condition = work->exp->as.conditional.condition;
    CoreAtom x = simplify_now(s, other->results[0]);
    bool value = plain->results[0].as.integer != 0;
    /* the plain result stands where the condition is: else_is_plain ? false : true */
    if (else_is_plain == value) {
        condition = simplify_unary(s, work, "not", CORE_NOT, condition);
    }
    simplify_replace(s, work->pattern[0],
                     simplify_binary(s, work, "both", value ? CORE_OR : CORE_AND, condition, x));
    simplify_fired(s, CORE_RULE_IF);
    return true;
}

/* After the branches are rebuilt: results that are the same in both are not the if's any more; an
   unused result goes with the dead. */
void simplify_equal_branches(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (work->certificate_count > 0) {
        return;
    }
    const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
    CoreAtom condition = exp->as.conditional.condition;
    if (!yes->result_count || !condition.name) {
        return;
    }
    if (yes->stm_count > 0 && simplify_equal_bodies(s, yes, no)) { /* the next round takes one */
        CoreExp *known = core_exp_copy(s->c, exp);
        known->as.conditional.condition = core_bool(true);
        work->exp = known;
        simplify_fired(s, CORE_RULE_IF);
        return;
    }
    if (lazy_operator(s, work)) {
        return;
    }
    for (size_t i = 0; i < work->pattern_count; i++) {
        CoreAtom a = yes->results[i], b = no->results[i];
        CoreType type = core_map_type(s->c, work->pattern[i]->type, simplify_now, s);
        if (core_atom_equal(a, b) && is_outside(s, a) && core_same_type(type, core_atom_type(a))) {
            simplify_replace(s, work->pattern[i], a);
            simplify_fired(s, CORE_RULE_IF);
        } else if (equal_arithmetic(s, work, i, a, b)) {
            continue;
        } else if (type.rank == 0 && type.prim == CORE_BOOL && !a.name && !b.name) {
            CoreAtom value =
                a.as.integer ? condition : simplify_unary(s, work, "not", CORE_NOT, condition);
            simplify_replace(s, work->pattern[i], value);
            simplify_fired(s, CORE_RULE_IF);
        }
    }
}

/* ---- filters that keep all ------------------------------------------------------------------- */

/* Which input's rows the k-th array of a filter has; a constant: they are computed. */
static CoreAtom kept_input(const CoreExp *filter, size_t k)
{
    const CoreLambda *function = filter->as.filter.predicate;
    bool computes = function->body->result_count > 1;
    for (size_t i = 0; i < filter->as.filter.input_count; i++) {
        if (computes ? function->body->results[k + 1].name == function->parameters[i] : i == k) {
            return filter->as.filter.inputs[i];
        }
    }
    return core_i64(0);
}

/* The filter of n rows that keeps m, of a condition m == n, whose arrays are inputs that nobody writes into; NULL: it is
   no such. */
static const CoreStm *filter_of_count(Simplify *s, CoreAtom kept, CoreAtom all)
{
    const CoreStm *stm = kept.name ? simplify_definition(s, kept, false) : NULL;
    if (!stm || stm->exp->kind != CORE_EXP_FILTER || stm->pattern[0] != kept.name ||
        !core_atom_equal(stm->exp->as.filter.width, all)) {
        return NULL;
    }
    for (size_t k = 1; k < stm->pattern_count; k++) {
        CoreAtom input = kept_input(stm->exp, k - 1);
        if (!input.name || simplify_consumed(s, input) ||
            simplify_consumed(s, core_use(stm->pattern[k]))) {
            return NULL;
        }
    }
    return stm;
}

static bool mentions(const CoreBody *body, const CoreStm *stm)
{
    bool found = false;
    for (size_t k = 0; k < stm->pattern_count && !found; k++) {
        found = core_uses(body, stm->pattern[k]);
    }
    return found;
}

const CoreStm *simplify_replace_kept(Simplify *s, const CoreExp *exp)
{
    const CoreExp *equal = simplify_operation(s, exp->as.conditional.condition, CORE_EQ);
    const CoreBody *body = exp->as.conditional.then_body;
    if (!equal) {
        return NULL;
    }
    CoreAtom x = equal->as.scalar.x, y = equal->as.scalar.y;
    const CoreStm *filter = filter_of_count(s, x, y);
    filter = filter ? filter : filter_of_count(s, y, x);
    for (size_t k = 0; filter && k < body->result_count; k++) {
        filter = core_atom_type(body->results[k]).rank == 0 ? filter : NULL;
    }
    filter = filter && mentions(body, filter) ? filter : NULL;
    if (filter) {
        simplify_fired(s, CORE_RULE_KEPT);
        simplify_replace(s, filter->pattern[0], filter->exp->as.filter.width);
        for (size_t k = 1; k < filter->pattern_count; k++) {
            simplify_replace(s, filter->pattern[k], kept_input(filter->exp, k - 1));
        }
    }
    return filter;
}
