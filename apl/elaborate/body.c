/* Bodies of dfns: statements up to the first that gives the value.

       {⍺←1 ⋄ x←⍺×⍵ ⋄ x>9: 0 ⋄ x+1}   ==>   ⍺ where there is none; a name; an if around both results

   A guard whose condition is known is no if. Behind a statement in error the body goes on (recover.c)
   as long as that cannot be the result; it has no value then. */
#include "apl/elaborate/internal.h"

static Value *need_array(Elaboration *e, Value *value, Span span)
{
    if (value->kind != VALUE_ARRAY && value->kind != VALUE_TUPLE) {
        elab_nonce(e, span, "a function as the result of a function is");
    }
    return value;
}

/* A guard's condition as a boolean scalar. */
static Value *condition_of(Elaboration *e, Value *value, Span span)
{
    elab_array_only(e, value, span, "a condition");
    value = elab_as_scalar(e, value, span);
    int64_t known;
    if (elab_constant(value, &known)) {
        if (known != 0 && known != 1) {
            elab_fail(e, span, "DOMAIN ERROR", "a condition is 0 or 1, not %s",
                      elab_digits(e, known));
        }
        return elab_bool(e, known != 0, span);
    }
    return elab_truth(e, value, span);
}

/* What a dfn gives: the value of a last statement or of a guard that holds. */
static Value *dfn_result(Elaboration *e, Frame *frame, const AplNode *node)
{
    if (frame->recursion != NULL) {
        return elab_tail(e, frame, node);
    }
    return need_array(e, elab_evaluate(e, frame, node), node->span);
}

/* What an assignment gives is not printed where the call is all of a statement. */
static Value *as_shy(Elaboration *e, Value *value, bool assignment)
{
    if (value == NULL || (value->shy == assignment && value->shy_if == NULL)) {
        return value;
    }
    value = elab_at(e, value, value->span);
    value->shy = assignment;
    value->shy_if = NULL;
    return value;
}

/* A value beside whether it is shy, for branches of which only one gives it by an assignment. */
static Value *with_shyness(Elaboration *e, Value *value, Span span)
{
    Value *shy = elab_bool(e, value->shy, span);
    Value *parts[] = {value->shy_if == NULL ? shy : elab_value(e, value->shy_if, span), value};
    return elab_record(e, 1, (int64_t[]){2}, 2, parts, span);
}

/* The value of a guard. */
static Value *guarded_result(Elaboration *e, Frame *frame, const AplNode *node)
{
    bool assignment = node->kind == APL_ASSIGN || node->kind == APL_MODIFY;
    return as_shy(e, dfn_result(e, frame, node), assignment);
}

static Value *guard_condition(Elaboration *e, Frame *frame, const AplNode *node)
{
    return condition_of(e, elab_evaluate(e, frame, node), node->span);
}

static Value *try_or_leave(Elaboration *e, Frame *frame, const AplNode *statement,
                           const AplNode *node, Evaluation *evaluation)
{
    Value *value;
    if (!elab_try(e, frame, statement, node, evaluation, &value)) {
        elab_abandon(e);
    }
    return value;
}

/* `next`: the statement after the guard. An error in the condition ends the function: what follows
   may be right only where the condition does not hold. */
static Value *guard(Elaboration *e, Frame *frame, size_t next, const AplNode *node, Span span)
{
    const AplNode *statement = frame->dfn->items[next - 1];
    Span place = node->items[0]->span;
    Value *condition = try_or_leave(e, frame, statement, node->items[0], guard_condition);
    int64_t known;
    if (elab_constant(condition, &known)) {
        return known != 0 ? try_or_leave(e, frame, statement, node->items[1], guarded_result)
                          : elab_body(e, frame, next, span);
    }
    const size_t changes = frame->changes->list.count;
    Block *then_block = elab_open(e);
    Value *then_value = NULL;
    elab_try(e, frame, statement, node->items[1], guarded_result, &then_value);
    elab_pop(e);
    elab_restore_names(frame, changes);
    Block *else_block = elab_open(e);
    Value *else_value = elab_body(e, frame, next, span);
    elab_pop(e);
    if (then_value == NULL || else_value == NULL) { /* one that recurs, while forms are found out */
        return then_value == NULL ? else_value : then_value;
    }
    bool shy = then_value->shy, known_shy = then_value->shy_if == NULL && shy == else_value->shy &&
                                            else_value->shy_if == NULL;
    if (!known_shy && frame->recursion == NULL) {
        then_value = with_shyness(e, then_value, place);
        else_value = with_shyness(e, else_value, place);
    }
    Value *value =
        elab_branches(e, condition, then_block, then_value, else_block, else_value, place);
    if (!known_shy && frame->recursion == NULL) {
        const TailExp *shy_if = value->items[0]->exp;
        value = elab_at(e, value->items[1], span);
        value->shy_if = shy_if;
    }
    value->shy = shy && known_shy;
    return value;
}

static Value *default_argument(Elaboration *e, Frame *frame, const AplNode *node)
{
    if (elab_lookup_local(frame, e->alpha) == NULL) {
        elab_bind_name(e->c, frame, e->alpha, elab_evaluate(e, frame, node->items[0]));
    }
    return NULL;
}

static Value *checked_assignment(Elaboration *e, Frame *frame, const AplNode *node)
{
    elab_check_change(e, frame, node);
    return elab_evaluate(e, frame, node);
}

static Value *last_assignment(Elaboration *e, Frame *frame, const AplNode *node)
{
    elab_check_change(e, frame, node);
    return guarded_result(e, frame, node);
}

/* Of a raw sequence: a←, (a b)←, a[i]←, ⎕←, a+← */
static bool begins_with_assignment(const AplNode *sequence)
{
    size_t next = 1, count = sequence->count;
    AplKind first = sequence->items[0]->kind;
    if (first != APL_NAME && first != APL_PAREN && first != APL_QUAD && first != APL_QUAD_NAME) {
        return false;
    }
    next += next < count && sequence->items[next]->kind == APL_BRACKETS;
    next += next < count && sequence->items[next]->kind == APL_GLYPH;
    return next < count && sequence->items[next]->kind == APL_ASSIGN_ARROW;
}

/* Whether the body goes on behind a statement that cannot be read: not where it may be the result,
   for nothing behind that counts. */
static bool goes_on(Elaboration *e, Frame *frame, const AplNode *statement)
{
    switch ((int)statement->kind) {
    case APL_SEQUENCE: return begins_with_assignment(statement);
    case APL_DEFAULT: return true;
    case APL_ERROR: return statement->count > 0; /* it would assign something */
    case APL_GUARD: {
        int64_t known = 0;
        const AplNode *node = elab_try_bound(e, frame, statement->items[0]);
        Value *condition;
        return node != NULL && node->class == APL_CLASS_ARRAY &&
               elab_try(e, frame, statement, node, guard_condition, &condition) &&
               !(elab_constant(condition, &known) && known != 0);
    }
    default: return false;
    }
}

/* The value of a dfn is that of its first statement which is neither an assignment nor a guard that
   does not hold; where all are assignments, that of the last. After an error in another statement
   the body goes on, and has no value then. */
static Value *body_value(Elaboration *e, Frame *frame, size_t first, Span span)
{
    const AplNode *dfn = frame->dfn;
    for (size_t i = first; i < dfn->count; i++) {
        const AplNode *statement = dfn->items[i], *node = elab_try_bound(e, frame, statement);
        bool last = i + 1 == dfn->count;
        Value *value;
        if (node == NULL) {
            if (last || !goes_on(e, frame, statement)) {
                elab_abandon(e);
            }
            continue;
        }
        if (node->kind == APL_GUARD) {
            if (last) {
                elab_fail(e, node->span, "VALUE ERROR",
                          "this function has no value where the condition does not hold");
            }
            return guard(e, frame, i + 1, node, span);
        }
        if (node->kind == APL_DEFAULT) {
            elab_try(e, frame, statement, node, default_argument, &value);
            continue;
        }
        bool assignment = node->kind == APL_ASSIGN || node->kind == APL_MODIFY;
        if (!assignment || last) {
            return try_or_leave(e, frame, statement, node,
                                assignment ? last_assignment : guarded_result);
        }
        elab_try(e, frame, statement, node, checked_assignment, &value);
    }
    if (frame->failed) {
        elab_abandon(e);
    }
    elab_fail(e, span, "VALUE ERROR", "this function has no value");
}

Value *elab_body(Elaboration *e, Frame *frame, size_t first, Span span)
{
    Value *value = body_value(e, frame, first, span);
    if (frame->failed) {
        elab_abandon(e);
    }
    return value;
}
