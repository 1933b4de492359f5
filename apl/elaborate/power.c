/* The power operator, and ⎕BENCH.

       (f⍣n) x   ==>  power(fn s => f s, n, x)

   The state's form (forms.c) is that of x, joined with that of f's result until f keeps it: a loop
   that starts from 0 and adds 0.5 runs over doubles. A boolean n is an if. Where the state has no
   one form (its rank changes) and n is known and small, the loop is unrolled. */
#include "apl/elaborate/internal.h"

static Value *unroll(Elaboration *e, Function *function, int64_t count, Value *left, Value *state,
                     Span span)
{
    for (int64_t i = 0; i < count; i++) {
        state = elab_apply(e, function, left, state, span);
    }
    return state;
}

static Value *once_if(Elaboration *e, Function *function, Value *condition, Value *left,
                      Value *state, Span span)
{
    Block *then_block = elab_open(e);
    Value *changed = elab_apply(e, function, left, state, span);
    elab_pop(e);
    Block *else_block = elab_open(e);
    elab_pop(e);
    return elab_branches(e, condition, then_block, changed, else_block, state, span);
}

static TailBuiltin builtin_for(const Form *form, bool bench)
{
    if (bench) {
        return TAIL_OP_BENCH;
    }
    return form->kind == FORM_ARRAY && form->rank == 0 ? TAIL_OP_POWERSCL : TAIL_OP_POWER;
}

static bool may_unroll(const Value *count, bool bench)
{
    int64_t number;
    return elab_constant(count, &number) && number <= EXPANSION_LIMIT && !bench;
}

/* The loop, whose state begins with this form and has the one that f keeps afterwards; NULL where
   there is none. */
static Value *loop(Elaboration *e, Function *function, Value *count, const Form **state_form,
                   Value *left, Value *state, bool bench, Span span)
{
    Span place = elab_place(e, span);
    if (elab_begin_trial(e)) {
        bool none = loop(e, function, count, state_form, left, state, bench, span) == NULL;
        elab_end_trial(e);
        if (none) {
            return NULL;
        }
    }
    for (;;) {
        const Form *form = *state_form;
        TailVariable **parameter = ARENA_NEW(e->c->arena, TailVariable *);
        *parameter = tail_variable(e->c, e->v, elab_form_type(e, form), place);
        Block *block = elab_open(e);
        Value *next = elab_form_value(e, form, tail_use(e->c, *parameter, place), span);
        next = elab_apply(e, function, left, next, span);
        const Form *result = elab_form(e, next, span);
        const Form *join = elab_form_try_join(e, form, result);
        if (join != NULL && elab_form_equal(join, form)) {
            const TailExp *exp = elab_form_exp(e, form, next, span);
            elab_pop(e);
            const TailExp *lambda =
                tail_lambda(e->c, 1, parameter, elab_wrap(e, block, exp), place);
            const TailExp *start = elab_form_exp(e, form, state, span);
            return elab_form_value(
                e, form, ELAB_CALL(e, builtin_for(form, bench), span, lambda, count->exp, start),
                span);
        }
        elab_pop(e);
        if (join == NULL && may_unroll(count, bench)) {
            return NULL;
        }
        *state_form = elab_form_join(e, form, result, span,
                                     "the state of ⍣ must keep its rank from step to step");
    }
}

/* Where the state has no one form yet, some steps are taken one by one: often the first one only.
 */
static Value *steps_and_loop(Elaboration *e, Function *function, Value *count, Value *left,
                             Value *state, bool bench, Span span)
{
    for (;;) {
        const Form *form = elab_form(e, state, span);
        Value *result = loop(e, function, count, &form, left, state, bench, span);
        if (result != NULL) {
            return result;
        }
        int64_t number = 0;
        elab_constant(count, &number);
        state = elab_apply(e, function, left, state, span);
        if (number == 1) {
            return state;
        }
        count = elab_int(e, number - 1, count->span);
    }
}

Value *elab_power(Elaboration *e, Function *function, Value *count, Value *left, Value *state,
                  bool bench, Span span)
{
    elab_array_only(e, count, count->span, "a count");
    bool condition = count->base == TAIL_BOOL;
    int64_t number;
    Value *times = elab_as_count(e, count, count->span, "counts of ⍣");
    if (elab_constant(times, &number) && !bench) {
        if (number < 0) {
            elab_nonce(e, count->span, "⍣ with a negative count (an inverse) is");
        }
        if (number <= 1) {
            return unroll(e, function, number, left, state, span);
        }
    }
    if (condition && !bench) {
        return once_if(e, function, elab_as_scalar(e, count, span), left, state, span);
    }
    times = elab_not_negative(e, times, times, "a negative count", count->span);
    return steps_and_loop(e, function, times, left, state, bench, span);
}
