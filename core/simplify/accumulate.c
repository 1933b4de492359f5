/* Loops that only accumulate are reductions:

       loop (s = a, k = b) for i < n do {         let r = redomap_comm n (iota n) (\i ->
         let x = v[k]                               let k = b + 2 * i
         let y = x * x                              let x = v[k]
         let s' = s + y                  ==>        let y = x * x
         let k' = k + 2                             in y) (+) 0
         in (s', k') }                            let s = a + r
                                                  let k = b + 2 * n

   Each state is an accumulator, s' = s op y with an associative and commutative operator (or s -
   y), which nothing else in the body reads, or goes up or down by the same number in each
   iteration, so that the iteration tells it, and may be read anywhere. What the body computes
   otherwise is elements; arrays it only reads, by index or through views. Loops in SOACs or in
   other loops stay: there are enough of them to keep a device busy, or the iterations wait for each
   other. So do short ones.

   A sum of reals may differ in its last digits, as that of any reduction. */
#include "core/simplify/simplify.h"

#include <math.h>

typedef enum StateKind { STATE_SUM, STATE_STEP } StateKind;

typedef struct State {
    StateKind kind;
    const CoreStm *stm; /* that makes the next value: a binary operation, or an if */
    CoreOperator op;
    CoreAtom operand;          /* y; of a step the number */
    const CoreStm *changes[2]; /* of an if: what makes the next value in each branch, or NULL */
} State;

typedef struct Accumulation {
    Compilation *c;
    const CoreStm *loop;
    State *states;
    size_t sums;
} Accumulation;

/* ---- what the loop's body is ----------------------------------------------------------------- */

/* [7, 3, 1]: the same in each iteration, so it is made before. */
static bool is_constant_list(const CoreStm *stm)
{
    bool constant = stm->exp->kind == CORE_EXP_LITERAL && stm->certificate_count == 0;
    for (size_t i = 0; constant && i < stm->exp->as.items.count; i++) {
        constant = !stm->exp->as.items.items[i].name;
    }
    return constant;
}

static void only_elements(void *context, const CoreBody *body)
{
    bool *good = context;
    for (size_t i = 0; i < body->stm_count && *good; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool plain = exp->kind <= CORE_EXP_CONJOIN && exp->kind != CORE_EXP_APPLY;
        *good = plain || core_is_view(exp->kind) || exp->kind == CORE_EXP_INDEX;
        for (size_t k = 0; k < body->stms[i]->pattern_count && !core_is_view(exp->kind); k++) {
            *good = *good && body->stms[i]->pattern[k]->type.rank == 0;
        }
        core_each_body(exp, only_elements, good);
    }
}

/* The loop's own body: constant lists go before the loop. */
static bool has_only_elements(Compilation *c, const CoreBody *body)
{
    CoreBody rest = *body;
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, body->stm_count + 1);
    bool good = true;
    rest.stm_count = 0;
    rest.stms = stms;
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!is_constant_list(body->stms[i])) {
            stms[rest.stm_count++] = body->stms[i];
        }
    }
    only_elements(&good, &rest);
    return good;
}

/* How many statements of the body mention a name, once or more. */
static size_t mentions(const CoreBody *body, const CoreName *name)
{
    size_t count = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        count += core_stm_uses(body->stms[i], name);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        count += body->results[i].name == name;
    }
    return count;
}

static const CoreStm *statement_of(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; name && i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            if (body->stms[i]->pattern[k] == name) {
                return body->stms[i];
            }
        }
    }
    return NULL;
}

static bool is_state(const CoreExp *loop, const CoreName *name)
{
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        if (loop->as.loop.parameters[i] == name) {
            return true;
        }
    }
    return name == loop->as.loop.index;
}

static bool is_outside(const CoreExp *loop, CoreAtom atom)
{
    return !atom.name ||
           (!is_state(loop, atom.name) && !statement_of(loop->as.loop.body, atom.name));
}

/* The identity element of an operator that may run in any order. */
static bool neutral_of(CoreOperator op, CorePrim prim, CoreAtom *neutral)
{
    bool real = core_is_real(prim), whole = core_is_int(prim);
    double least = op == CORE_MAX ? -(double)INFINITY : (double)INFINITY;
    int64_t extreme = op == CORE_MAX ? (prim == CORE_I32 ? INT32_MIN : INT64_MIN)
                                     : (prim == CORE_I32 ? INT32_MAX : INT64_MAX);
    switch ((int)op) {
    case CORE_ADD:
    case CORE_SUB:
    case CORE_MUL:
        *neutral = real ? core_real(prim, op == CORE_MUL) : core_int(prim, op == CORE_MUL);
        return real || whole;
    case CORE_MAX:
    case CORE_MIN:
        *neutral = real ? core_real(prim, least) : core_int(prim, extreme);
        return real || whole;
    case CORE_AND:
    case CORE_OR: *neutral = core_bool(op == CORE_AND); return prim == CORE_BOOL;
    default: return false;
    }
}

/* It goes up or down by the same number each time. */
static bool is_step(const Accumulation *a, const CoreName *parameter, State *state)
{
    bool step = (state->op == CORE_ADD || state->op == CORE_SUB) &&
                core_is_int(parameter->type.prim) && is_outside(a->loop->exp, state->operand);
    state->kind = step ? STATE_STEP : STATE_SUM;
    return step;
}

/* p op y, or y op p. */
static bool is_change(const CoreStm *stm, const CoreName *parameter, State *state)
{
    if (!stm || stm->exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool first = x.name == parameter;
    state->op = stm->exp->as.scalar.op;
    state->operand = first ? y : x;
    return (first || (y.name == parameter && state->op != CORE_SUB)) &&
           state->operand.name != parameter;
}

/* The same in a branch whose k-th result is the next value, or p itself: then *change is NULL. */
static bool branch_changes(const CoreBody *body, size_t k, const CoreName *parameter, State *state,
                           const CoreStm **change)
{
    *change = statement_of(body, body->results[k].name);
    return body->results[k].name == parameter || is_change(*change, parameter, state);
}

/* Nothing of a branch uses p and its next value but what makes it, and the result. */
static bool only_there(const CoreBody *body, size_t k, const CoreName *parameter,
                       const CoreStm *change)
{
    return core_count_uses(body, parameter) == 1 &&
           (!change ||
            (change->certificate_count == 0 && core_count_uses(body, body->results[k].name) == 1));
}

/* A state that an if makes. */
static bool find_branches(Accumulation *a, size_t i, const CoreStm *stm)
{
    const CoreExp *loop = a->loop->exp;
    const CoreName *parameter = loop->as.loop.parameters[i];
    const CoreBody *body = loop->as.loop.body;
    const CoreBody *branches[2] = {stm->exp->as.conditional.then_body,
                                   stm->exp->as.conditional.else_body};
    State *state = &a->states[i], each[2] = {{.stm = stm}, {.stm = stm}};
    size_t k = 0;
    while (stm->pattern[k] != body->results[i].name) {
        k++;
    }
    *state = (State){.kind = STATE_SUM, .stm = stm};
    for (size_t n = 0; n < 2; n++) {
        if (!branch_changes(branches[n], k, parameter, &each[n], &state->changes[n])) {
            return false;
        }
        if (state->changes[n]) {
            state->op = each[n].op;
        }
    }
    bool both = state->changes[0] && state->changes[1];
    if ((!state->changes[0] && !state->changes[1]) || (both && each[0].op != each[1].op)) {
        return false;
    }
    if (both && is_step(a, parameter, &each[0]) &&
        core_atom_equal(each[0].operand, each[1].operand)) {
        *state = each[0];
        return true;
    }
    state->operand = core_use(stm->pattern[k]);
    return stm->exp->as.conditional.condition.name != parameter &&
           only_there(branches[0], k, parameter, state->changes[0]) &&
           only_there(branches[1], k, parameter, state->changes[1]) && stm->certificate_count == 0;
}

static bool find_state(Accumulation *a, size_t i)
{
    const CoreExp *loop = a->loop->exp;
    const CoreName *parameter = loop->as.loop.parameters[i];
    const CoreBody *body = loop->as.loop.body;
    const CoreStm *stm = statement_of(body, body->results[i].name);
    State *state = &a->states[i];
    CoreAtom neutral;
    if (!stm || parameter->type.rank > 0) {
        return false;
    }
    *state = (State){.stm = stm};
    bool found =
        stm->exp->kind == CORE_EXP_IF ? find_branches(a, i, stm) : is_change(stm, parameter, state);
    if (!found) {
        return false;
    }
    if (stm->exp->kind == CORE_EXP_BINARY) {
        state->kind = is_step(a, parameter, state) ? STATE_STEP : STATE_SUM;
    }
    if (state->kind == STATE_STEP) {
        return true;
    }
    a->sums++;
    return neutral_of(state->op, parameter->type.prim, &neutral) && stm->certificate_count == 0 &&
           mentions(body, parameter) == 1 && core_count_uses(body, body->results[i].name) == 1;
}

/* So many iterations are not worth a kernel. */
static bool is_short(CoreAtom bound)
{
    enum { FEW = 256 };
    return !bound.name && bound.as.integer < FEW;
}

static bool is_accumulation(Accumulation *a)
{
    const CoreExp *loop = a->loop->exp;
    bool good = loop->kind == CORE_EXP_LOOP && loop->as.loop.index != NULL &&
                loop->as.loop.parameter_count > 0 && !is_short(loop->as.loop.bound);
    good = good && has_only_elements(a->c, loop->as.loop.body);
    if (!good) {
        return false;
    }
    a->states = ARENA_ARRAY(a->c->arena, State, loop->as.loop.parameter_count);
    for (size_t i = 0; i < loop->as.loop.parameter_count && good; i++) {
        good = find_state(a, i);
    }
    return good && a->sums > 0;
}

/* ---- the reduction --------------------------------------------------------------------------- */

static void bind_binary(CoreBuilder *b, CoreName *name, CoreOperator op, CoreAtom x, CoreAtom y)
{
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    exp->kind = CORE_EXP_BINARY;
    exp->as.scalar.op = op;
    exp->as.scalar.prim = name->type.prim;
    exp->as.scalar.x = x;
    exp->as.scalar.y = y;
    core_bind(b, 1, &name, exp);
}

/* `name` = start + number * times, or start - number * times. */
static void bind_step(CoreBuilder *b, CoreName *name, const State *state, CoreAtom start,
                      CoreAtom times)
{
    CorePrim prim = name->type.prim; /* narrow ones wrap as they do when they are added up */
    times = prim == CORE_I64 ? times : core_let_convert(b, "times", prim, times);
    CoreAtom distance = core_let_binary(b, "distance", CORE_MUL, state->operand, times);
    bind_binary(b, name, state->op, start, distance);
}

static bool makes_sum(const Accumulation *a, const CoreStm *stm)
{
    for (size_t i = 0; i < a->loop->exp->as.loop.parameter_count; i++) {
        if (a->states[i].kind == STATE_SUM && a->states[i].stm == stm) {
            return true;
        }
    }
    return false;
}

/* A branch, with what it adds to the sums in the places of their next values. */
static const CoreBody *branch_of(const Accumulation *a, const CoreStm *stm, size_t n,
                                 const CoreBody *old)
{
    const CoreExp *loop = a->loop->exp;
    CoreBuilder b = core_builder(a->c, stm->span);
    CoreAtom *results = arena_copy(a->c->arena, old->results, old->result_count * sizeof *results);
    for (size_t i = 0; i < old->stm_count; i++) {
        bool change = false;
        for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
            change = change || (a->states[k].kind == STATE_SUM && a->states[k].stm == stm &&
                                a->states[k].changes[n] == old->stms[i]);
        }
        if (!change) {
            vec_push(a->c->arena, &b.stms, old->stms[i]);
        }
    }
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        const State *state = &a->states[i];
        if (state->kind != STATE_SUM || state->stm != stm) {
            continue;
        }
        size_t k = 0;
        while (stm->pattern[k] != state->operand.name) {
            k++;
        }
        State there;
        if (state->changes[n]) {
            is_change(state->changes[n], loop->as.loop.parameters[i], &there);
            results[k] = there.operand;
        } else {
            neutral_of(state->op, loop->as.loop.parameters[i]->type.prim, &results[k]);
        }
    }
    return core_body(&b, old->result_count, results);
}

/* An if that makes sums, as one that makes what is added to them. */
static const CoreStm *with_operands(const Accumulation *a, const CoreStm *stm)
{
    CoreStm *rewritten = arena_copy(a->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(a->c, stm->exp);
    exp->as.conditional.then_body = branch_of(a, stm, 0, stm->exp->as.conditional.then_body);
    exp->as.conditional.else_body = branch_of(a, stm, 1, stm->exp->as.conditional.else_body);
    rewritten->exp = exp;
    return rewritten;
}

/* The iteration's number to the operands of all sums. */
static const CoreLambda *elements(const Accumulation *a)
{
    const CoreExp *loop = a->loop->exp;
    const CoreBody *body = loop->as.loop.body;
    CoreBuilder b = core_builder(a->c, a->loop->span);
    CoreAtom *operands = ARENA_ARRAY(a->c->arena, CoreAtom, a->sums);
    CoreName **index = ARENA_ARRAY(a->c->arena, CoreName *, 1);
    size_t count = 0;
    index[0] = loop->as.loop.index;
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        if (a->states[i].kind == STATE_STEP) {
            bind_step(&b, loop->as.loop.parameters[i], &a->states[i], loop->as.loop.initial[i],
                      core_use(index[0]));
        } else {
            operands[count++] = a->states[i].operand;
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (is_constant_list(stm)) {
            continue;
        }
        if (!makes_sum(a, stm)) {
            vec_push(a->c->arena, &b.stms, stm);
        } else if (stm->exp->kind == CORE_EXP_IF) {
            vec_push(a->c->arena, &b.stms, with_operands(a, stm));
        }
    }
    return core_lambda(a->c, 1, index, core_body(&b, count, operands));
}

static CoreReduction reduction_of(const Accumulation *a, const State *state, CorePrim prim)
{
    CoreAtom *neutral = ARENA_ARRAY(a->c->arena, CoreAtom, 1);
    neutral_of(state->op, prim, neutral);
    CoreOperator op = state->op == CORE_SUB ? CORE_ADD : state->op;
    return (CoreReduction){core_operator_lambda(a->c, op, prim, a->loop->span), neutral, true};
}

static void reduce(const Accumulation *a, CoreBuilder *b)
{
    const CoreExp *loop = a->loop->exp;
    size_t states = loop->as.loop.parameter_count, count = 0;
    for (size_t i = 0; i < loop->as.loop.body->stm_count; i++) {
        if (is_constant_list(loop->as.loop.body->stms[i])) {
            vec_push(a->c->arena, &b->stms, loop->as.loop.body->stms[i]);
        }
    }
    for (size_t i = 0; i < a->loop->certificate_count; i++) {
        vec_push(a->c->arena, &b->certificates, a->loop->certificates[i]);
    }
    CoreAtom width = core_let_binary(b, "width", CORE_MAX, loop->as.loop.bound, core_i64(0));
    CoreAtom numbers = core_let_iota(b, "numbers", width);
    CoreReduction *reductions = ARENA_ARRAY(a->c->arena, CoreReduction, a->sums);
    CoreName **totals = ARENA_ARRAY(a->c->arena, CoreName *, a->sums);
    for (size_t i = 0; i < states; i++) {
        const CoreName *parameter = loop->as.loop.parameters[i];
        if (a->states[i].kind == STATE_SUM) {
            reductions[count] = reduction_of(a, &a->states[i], parameter->type.prim);
            totals[count++] = core_name(a->c, "total", parameter->type, a->loop->span);
        }
    }
    core_bind(b, count, totals,
              core_exp_soac(a->c, width, 1, &numbers, elements(a), count, reductions, 0, NULL));
    count = 0;
    for (size_t i = 0; i < states; i++) {
        CoreName *name = a->loop->pattern[i];
        if (a->states[i].kind == STATE_STEP) {
            bind_step(b, name, &a->states[i], loop->as.loop.initial[i], width);
            continue;
        }
        bind_binary(b, name, a->states[i].op, loop->as.loop.initial[i], core_use(totals[count++]));
    }
    b->certificates.count = 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct Walk {
    Compilation *c;
    size_t *counts;
} Walk;

static const CoreBody *walk_body(void *context, const CoreBody *body)
{
    Walk *walk = context;
    CoreBuilder b = core_builder(walk->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        Accumulation a = {.c = walk->c, .loop = stm};
        if (stm->exp->kind == CORE_EXP_IF) {
            stm = core_map_stm(walk->c, stm, walk_body, walk);
        } else if (is_accumulation(&a)) {
            b.span = stm->span;
            reduce(&a, &b);
            walk->counts[CORE_RULE_ACCUMULATION]++;
            continue;
        }
        vec_push(walk->c->arena, &b.stms, stm);
    }
    return core_with_stms(walk->c, body, b.stms.count, b.stms.items);
}

const CoreProgram *core_accumulate(Compilation *c, const CoreProgram *program, size_t *counts)
{
    Walk walk = {c, counts};
    return core_map_functions(c, program, walk_body, &walk);
}
