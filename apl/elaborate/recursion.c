/* Loops that run until something holds: f⍣g, and ∇ in tail position.

       (f⍣g) x                ==>  while(fn (c,s) => let s' = f s in (not g(s',s), s'), (tt,x))
       {⍵≤1:⍺ ⋄ (⍺×⍵)∇⍵-1}    ==>  while(fn (c,a,w,r) => if w<=1 then (ff,a,w,a)
                                                         else (tt,a*w,w-1,r),
                                         (tt,a,w,0))

   The loop over a dfn's body carries the arguments and the result. What the result is made of
   follows from the ways through the body that do not recur: the body is elaborated for the forms
   (forms.c) of its arguments first, until recurring keeps them, and once more for the loop. */
#include "apl/elaborate/internal.h"

/* The body of a dfn as a loop. */
struct Recursion {
    bool probing;              /* only to find out forms */
    const Form *alpha, *omega; /* of the arguments; alpha is NULL where there is one only */
    Value *left, *right;       /* the arguments in this step */
    Value *nothing;            /* result of a step that recurs */
    bool shy, loud;            /* some way gives the result by an assignment, some way otherwise */
    Span span;
};

static Value *while_loop(Elaboration *e, const Form *form, TailVariable *parameter, Block *block,
                         const TailExp *next, Value *start, Span span)
{
    TailVariable **parameters = arena_copy(e->c->arena, &parameter, sizeof parameter);
    const TailExp *lambda =
        tail_lambda(e->c, 1, parameters, elab_wrap(e, block, next), elab_place(e, span));
    const TailExp *state = elab_form_exp(e, form, start, span);
    return elab_form_value(e, form, ELAB_CALL(e, TAIL_OP_WHILE, span, lambda, state), span);
}

static Value *tuple_of(Elaboration *e, size_t count, Value *const *items, Span span)
{
    int64_t length = (int64_t)count;
    return elab_record(e, 1, &length, count, items, span);
}

static const Form *tuple_form(Elaboration *e, size_t count, const Form *const *items)
{
    int64_t length = (int64_t)count;
    Form *form = ARENA_NEW(e->c->arena, Form);
    *form = (Form){.kind = FORM_TUPLE, .rank = 1, .count = count};
    form->extents = arena_copy(e->c->arena, &length, sizeof length);
    form->items = arena_copy(e->c->arena, items, count * sizeof *items);
    return form;
}

static const Form *bool_form(Elaboration *e)
{
    Form *form = ARENA_NEW(e->c->arena, Form);
    *form = (Form){.kind = FORM_ARRAY, .base = TAIL_BOOL, .extents = elab_extents(e, 0)};
    return form;
}

/* ---- f⍣g ----------------------------------------------------------------------------- */

static Value *until(Elaboration *e, Function *function, Function *condition, const Form **kept,
                    Value *left, Value *state, Span span)
{
    if (elab_begin_trial(e)) {
        until(e, function, condition, kept, left, state, span);
        elab_end_trial(e);
    }
    for (;;) {
        const Form *form = *kept;
        const Form *parts[2] = {bool_form(e), form};
        const Form *whole = tuple_form(e, 2, parts);
        TailVariable *parameter =
            tail_variable(e->c, e->v, elab_form_type(e, whole), elab_place(e, span));
        Block *block = elab_open(e);
        Value *before =
            elab_form_value(e, whole, tail_use(e->c, parameter, elab_place(e, span)), span)
                ->items[1];
        Value *after = elab_apply(e, function, left, before, span);
        const Form *result = elab_form(e, after, span);
        *kept = elab_form_join(e, form, result, span,
                               "the state of ⍣ must keep its rank from step to step");
        if (elab_form_equal(*kept, form)) {
            Value *holds = elab_apply(e, condition, after, before, span);
            elab_array_only(e, holds, span, "a condition");
            holds = elab_truth(e, elab_as_scalar(e, holds, span), span);
            Call not_yet = {.primitive = APL_TILDE, .right = holds, .span = span};
            Value *next[2] = {elab_scalar_function(e, &not_yet), after};
            const TailExp *exp = elab_form_exp(e, whole, tuple_of(e, 2, next, span), span);
            elab_pop(e);
            Value *start[2] = {elab_bool(e, true, span), state};
            return while_loop(e, whole, parameter, block, exp, tuple_of(e, 2, start, span), span)
                ->items[1];
        }
        elab_pop(e);
    }
}

Value *elab_until(Elaboration *e, Function *function, Function *condition, Value *left,
                  Value *state, Span span)
{
    const Form *form = elab_form(e, state, span);
    return until(e, function, condition, &form, left, state, span);
}

/* ---- ∇ ------------------------------------------------------------------------------- */

static bool calls_itself(const AplNode *node)
{
    return (node->kind == APL_MONADIC && node->items[0]->kind == APL_SELF) ||
           (node->kind == APL_DYADIC && node->items[1]->kind == APL_SELF);
}

static void widen(Elaboration *e, const Form **form, Value *value, Span span)
{
    *form = elab_form_join(e, *form, elab_form(e, value, span), span,
                           "an argument of ∇ must keep its rank from call to call");
}

/* The state after a step: whether to go on, the arguments, the result; and where only run time
   knows whether that is shy, this. */
static Value *after_step(Elaboration *e, const Recursion *r, bool again, bool shy, Value *left,
                         Value *right, Value *result)
{
    Value *items[5];
    size_t count = 0;
    items[count++] = elab_bool(e, again, r->span);
    if (r->shy && r->loud) {
        items[count++] = elab_bool(e, shy, r->span);
    }
    if (left != NULL) {
        items[count++] = left;
    }
    items[count++] = right;
    items[count++] = result;
    return tuple_of(e, count, items, r->span);
}

Value *elab_tail(Elaboration *e, Frame *frame, const AplNode *node)
{
    Recursion *r = frame->recursion;
    if (!calls_itself(node)) {
        Value *value = elab_evaluate(e, frame, node);
        if (value->kind != VALUE_ARRAY && value->kind != VALUE_TUPLE) {
            elab_nonce(e, node->span, "a function as the result of a function is");
        }
        bool shy = node->kind == APL_ASSIGN || node->kind == APL_MODIFY;
        if (r->probing) {
            r->shy = r->shy || shy;
            r->loud = r->loud || !shy;
            return value;
        }
        return after_step(e, r, false, shy, r->left, r->right, value);
    }
    bool dyadic = node->kind == APL_DYADIC;
    Span span = node->items[dyadic ? 1 : 0]->span;
    if (dyadic != (r->alpha != NULL)) {
        elab_fail(e, span, "NONCE ERROR",
                  "∇ with %s in a function that was called with %s is not supported",
                  dyadic ? "two arguments" : "one argument", dyadic ? "one" : "two");
    }
    Value *right = elab_evaluate(e, frame, node->items[dyadic ? 2 : 1]);
    Value *left = dyadic ? elab_evaluate(e, frame, node->items[0]) : NULL;
    if (r->probing) {
        widen(e, &r->omega, right, span);
        if (dyadic) {
            widen(e, &r->alpha, left, span);
        }
        return NULL;
    }
    return after_step(e, r, true, false, left, right, r->nothing);
}

/* Some value of a form: what the loop's result is before there is one. */
static Value *any_value(Elaboration *e, const Form *form, Span span)
{
    if (form->kind == FORM_ARRAY) {
        Value *fill = elab_fill(e, form->base, span);
        Value **shape = ARENA_ARRAY(e->c->arena, Value *, form->rank + 1);
        for (int64_t i = 0; i < form->rank; i++) {
            shape[i] = elab_int(e, form->extents[i] < 0 ? 0 : form->extents[i], span);
        }
        return form->rank == 0
                   ? fill
                   : elab_reshape(e, elab_vector(e, (size_t)form->rank, shape, span), fill, span);
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, form->count + 1);
    for (size_t i = 0; i < form->count; i++) {
        items[i] = any_value(e, form->items[i], span);
    }
    return form->rank == 0 ? elab_enclose(e, items[0], span)
                           : elab_form_tuple(e, form, items, span);
}

static Value *run_body(Elaboration *e, Function *function, Recursion *r)
{
    Frame *frame = elab_frame(e->c, function->frame, false);
    if (r->left != NULL) {
        elab_bind_name(e->c, frame, e->alpha, r->left);
    }
    elab_bind_name(e->c, frame, e->omega, r->right);
    elab_bind_operands(e, frame, function);
    frame->dfn = function->dfn;
    frame->recursion = r;
    return elab_body(e, frame, 0, r->span);
}

/* A value of the form in the present block, whose contents are not known: a new variable's. */
static Value *unknown(Elaboration *e, const Form *form, Span span)
{
    TailVariable *variable =
        tail_variable(e->c, e->v, elab_form_type(e, form), elab_place(e, span));
    return elab_form_value(e, form, tail_use(e->c, variable, elab_place(e, span)), span);
}

/* The result's form for arguments of forms that recurring keeps. */
static const Form *settle(Elaboration *e, Function *function, Recursion *r)
{
    for (;;) {
        const Form *alpha = r->alpha, *omega = r->omega;
        elab_open(e);
        r->left = alpha == NULL ? NULL : unknown(e, alpha, r->span);
        r->right = unknown(e, omega, r->span);
        const Value *result = run_body(e, function, r);
        const Form *form = result == NULL ? NULL : elab_form(e, result, r->span);
        elab_pop(e);
        bool kept =
            elab_form_equal(omega, r->omega) && (alpha == NULL || elab_form_equal(alpha, r->alpha));
        if (kept && form == NULL) {
            elab_fail(e, r->span, "DOMAIN ERROR", "this function calls itself in every case");
        }
        if (kept) {
            return form;
        }
    }
}

Value *elab_recursive_call(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    const AplNode *first = function->dfn->items[0];
    if (left == NULL && first->kind == APL_DEFAULT) { /* the default is the first call's argument */
        Frame *frame = elab_frame(e->c, function->frame, false);
        elab_bind_name(e->c, frame, e->omega, right);
        elab_bind_operands(e, frame, function);
        const AplNode *node = elab_bound(e, frame, first);
        if (node == NULL) {
            elab_abandon(e);
        }
        left = elab_evaluate(e, frame, node->items[0]);
    }
    Recursion *r = ARENA_NEW(e->c->arena, Recursion);
    r->span = span;
    r->probing = true;
    r->alpha = left == NULL ? NULL : elab_form(e, left, span);
    r->omega = elab_form(e, right, span);
    bool trial = elab_begin_trial(e);
    const Form *result = settle(e, function, r);
    if (trial) {
        elab_end_trial(e);
    } else {
        return unknown(e, result, span);
    }
    r->probing = false;

    const Form *parts[5];
    size_t count = 0;
    bool mixed = r->shy && r->loud;
    parts[count++] = bool_form(e);
    if (mixed) {
        parts[count++] = bool_form(e);
    }
    if (left != NULL) {
        parts[count++] = r->alpha;
    }
    parts[count++] = r->omega;
    parts[count++] = result;
    const Form *whole = tuple_form(e, count, parts);
    TailVariable *parameter =
        tail_variable(e->c, e->v, elab_form_type(e, whole), elab_place(e, span));
    Value *start = after_step(e, r, true, false, left, right, any_value(e, result, span));
    Block *block = elab_open(e);
    Value *state = elab_form_value(e, whole, tail_use(e->c, parameter, elab_place(e, span)), span);
    r->left = left == NULL ? NULL : state->items[count - 3];
    r->right = state->items[count - 2];
    r->nothing = state->items[count - 1];
    const TailExp *next = elab_form_exp(e, whole, run_body(e, function, r), span);
    elab_pop(e);
    const Value *end = while_loop(e, whole, parameter, block, next, start, span);
    Value *value = elab_at(e, end->items[count - 1], span);
    value->shy = r->shy && !mixed;
    value->shy_if = mixed ? end->items[1]->exp : NULL;
    return value;
}
