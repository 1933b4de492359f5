/* Calls that stay calls, so that a large program does not grow by each of them.

       f0←{⍵×2} ⋄ f1←{⍵>1: f0 ⍵ ⋄ f0 ⍵+1} ⋄ f2←{⍵>2: f1 ⍵ ⋄ f1 ⍵+1} ⋄ ... ⋄ f40 n

   Each call is a specialisation, written out where it stands; with calls in branches that exclude
   each other, or with different arguments, that doubles at every level. A statement that becomes too
   large by that (WRITTEN_OUT_LIMIT) is elaborated anew: now a call of a dfn that was written out
   before for the same facts becomes a call of a function of TAIL: a let in front of the program,
   whose parameters are what the arguments are made of. In a large program so do calls of large dfns
   in any statement.

       let f1:(int)->int = fn x:int => if gti(x,1) then f0(x) else f0(addi(x,1)) in

   What is known of the arguments is part of the key under which the function is found (memo.c), so it
   stays known in the body, and constants stay constants. Values outside that the body uses are
   parameters too: functions of lets are closed. Functions of the prelude, whose errors are reported
   where they are called, are written out always. */
#include "apl/elaborate/internal.h"

enum {
    SMALL_CALL = 6,        /* lets: calls with fewer are written out always */
    LARGE_CALL = 400,      /* calls with more become functions in programs */
    LARGE_PROGRAM = 20000, /* with more than these */
    MOST_LEAVES = 100      /* of arguments; calls with more are written out */
};

struct Shared {
    const char *signature;
    int64_t weight;               /* of the call as it was written out; 0: it was not yet */
    TailVariable *function;       /* NULL: there is none */
    int64_t effects;              /* of a call */
    size_t leaf_count;            /* of its result; none: it gives a bool that means nothing */
    Value *result;                /* in terms of the function's own variables */
    VEC(const TailExp *) outside; /* values that it uses, which come after the arguments */
};

/* ---- the leaves of values -------------------------------------------------------------------- */

typedef struct Leaves {
    const TailExp *(*replace)(Elaboration *e, struct Leaves *leaves, const TailExp *exp);
    VEC(const TailExp *) found;
    VEC(TailVariable *) parameters;
    const TailExp *call; /* that gives them */
    size_t next, count;
    Span span;
} Leaves;

/* A literal, of which the key says what it is. */
static bool is_constant(const TailExp *exp)
{
    switch (exp->kind) {
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_COMPLEX: return true;
    case TAIL_EXP_VECTOR:
        for (size_t i = 0; i < exp->as.items.count; i++) {
            if (!is_constant(exp->as.items.items[i])) {
                return false;
            }
        }
        return true;
    case TAIL_EXP_CALL: return exp->as.call.builtin == TAIL_OP_ZILDE;
    case TAIL_EXP_VARIABLE:
    case TAIL_EXP_TUPLE:
    case TAIL_EXP_PROJECT:
    case TAIL_EXP_LAMBDA:
    case TAIL_EXP_LET:
    case TAIL_EXP_APPLY:
    case TAIL_EXP_IF: return false;
    }
    return false;
}

static Value *with_leaves(Elaboration *e, const Value *value, Leaves *leaves);

/* A strand of scalars is as many leaves. */
static Value *strand_with_leaves(Elaboration *e, const Value *value, Leaves *leaves)
{
    const size_t count = (size_t)value->extents[0];
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = with_leaves(e, value->elements[i], leaves);
    }
    return elab_cast(e, elab_vector(e, count, items, value->span), value->base, value->span);
}

static Value *array_with_leaves(Elaboration *e, const Value *value, Leaves *leaves)
{
    Value *copy = arena_copy(e->c->arena, value, sizeof *value);
    if (value->rank > 0) {
        copy->extents =
            arena_copy(e->c->arena, value->extents, sizeof(int64_t) * (size_t)value->rank);
    }
    copy->part = NULL; /* its numbers stay outside */
    if (is_constant(value->exp)) {
        return copy;
    }
    if (elab_has_elements(value) && value->elements != NULL) {
        return strand_with_leaves(e, value, leaves);
    }
    copy->elements = NULL;
    copy->literal = value->literal != NULL && is_constant(value->literal) ? value->literal : NULL;
    copy->exp = leaves->replace(e, leaves, value->exp);
    return copy;
}

/* How many leaves a value has, at most `most` + 1. */
static size_t count_leaves(const Value *value, size_t most)
{
    size_t found = value->kind == VALUE_ARRAY;
    const size_t count = value->kind == VALUE_TUPLE ? value->count + (value->count == 0) : 0;
    for (size_t i = 0; i < count && found <= most; i++) {
        found += value->items[i] == NULL ? 0 : count_leaves(value->items[i], most - found);
    }
    return found;
}

/* The value with something else in the place of each array and scalar that is no constant. */
static Value *with_leaves(Elaboration *e, const Value *value, Leaves *leaves)
{
    if (value->kind == VALUE_ARRAY) {
        return array_with_leaves(e, value, leaves);
    }
    Value *copy = arena_copy(e->c->arena, value, sizeof *value);
    const size_t count = value->count + (value->count == 0); /* or the prototype */
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count);
    elab_deeper(e, value->span);
    for (size_t i = 0; i < count; i++) {
        items[i] = value->items[i] == NULL ? NULL : with_leaves(e, value->items[i], leaves);
    }
    e->depth--;
    copy->items = items;
    return copy;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static TailVariable *parameter(Elaboration *e, Leaves *leaves, const TailExp *argument)
{
    TailVariable *variable = tail_variable(e->c, e->v, argument->type, leaves->span);
    vec_push(e->c->arena, &leaves->parameters, variable);
    vec_push(e->c->arena, &leaves->found, argument);
    return variable;
}

static const TailExp *as_parameter(Elaboration *e, Leaves *leaves, const TailExp *argument)
{
    return tail_use(e->c, parameter(e, leaves, argument), leaves->span);
}

static const TailExp *collected(Elaboration *e, Leaves *leaves, const TailExp *exp)
{
    vec_push(e->c->arena, &leaves->found, exp);
    return exp;
}

/* The next one of those that a call gives. */
static const TailExp *given(Elaboration *e, Leaves *leaves, const TailExp *exp)
{
    (void)exp;
    return leaves->count == 1
               ? leaves->call
               : elab_let(e, tail_project(e->c, leaves->next++, leaves->call, leaves->span));
}

static const TailExp *one_or_tuple(Elaboration *e, size_t count, const TailExp *const *items,
                                   Span span)
{
    return count == 0   ? tail_bool(e->c, false, span)
           : count == 1 ? items[0]
                        : tail_tuple(e->c, count, items, span);
}

/* ---- values outside -------------------------------------------------------------------------- */

typedef struct Outside {
    Elaboration *e;
    PointerMap bound;   /* TailVariable -> itself: bound in the body */
    PointerMap renamed; /* TailVariable of outside -> that of the parameter */
    Leaves *leaves;
} Outside;

static const TailExp *close(Outside *o, const TailExp *exp);

static const TailExp *const *close_items(Outside *o, size_t count, const TailExp *const *items)
{
    const TailExp **closed = ARENA_ARRAY(o->e->c->arena, const TailExp *, count + 1);
    for (size_t i = 0; i < count; i++) {
        closed[i] = close(o, items[i]);
    }
    return closed;
}

static void bind(Outside *o, TailVariable *variable)
{
    pointer_map_set(o->e->c->arena, &o->bound, variable, variable);
}

static const TailExp *close_variable(Outside *o, const TailExp *exp)
{
    TailVariable *variable = exp->as.variable;
    if (pointer_map_get(&o->bound, variable) != NULL) {
        return exp;
    }
    TailVariable *renamed = pointer_map_get(&o->renamed, variable);
    if (renamed == NULL) {
        renamed = parameter(o->e, o->leaves, exp);
        pointer_map_set(o->e->c->arena, &o->renamed, variable, renamed);
    }
    return tail_use(o->e->c, renamed, exp->span);
}

/* Lets are a loop: their chains are long. */
static const TailExp *close_chain(Outside *o, const TailExp *exp)
{
    VEC(const TailExp *) lets = {0}, values = {0};
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        vec_push(o->e->c->arena, &lets, exp);
        vec_push(o->e->c->arena, &values, close(o, exp->as.let.value));
        bind(o, exp->as.let.variable);
    }
    exp = close(o, exp);
    for (size_t i = lets.count; i-- > 0;) {
        exp = tail_let(o->e->c, lets.items[i]->as.let.variable, values.items[i], exp,
                       lets.items[i]->span);
    }
    return exp;
}

/* The expression with parameters in the place of variables from outside. */
static const TailExp *close(Outside *o, const TailExp *exp)
{
    if (exp->kind == TAIL_EXP_LET) {
        return close_chain(o, exp);
    }
    if (exp->kind == TAIL_EXP_VARIABLE) {
        return close_variable(o, exp);
    }
    TailExp *copy = arena_copy(o->e->c->arena, exp, sizeof *exp);
    switch (exp->kind) {
    case TAIL_EXP_VECTOR:
    case TAIL_EXP_TUPLE:
        copy->as.items.items = close_items(o, exp->as.items.count, exp->as.items.items);
        return copy;
    case TAIL_EXP_PROJECT: copy->as.project.tuple = close(o, exp->as.project.tuple); return copy;
    case TAIL_EXP_LAMBDA:
        for (size_t i = 0; i < exp->as.lambda.count; i++) {
            bind(o, exp->as.lambda.parameters[i]);
        }
        copy->as.lambda.body = close(o, exp->as.lambda.body);
        return copy;
    case TAIL_EXP_CALL:
        copy->as.call.arguments = close_items(o, exp->as.call.count, exp->as.call.arguments);
        return copy;
    case TAIL_EXP_APPLY:
        copy->as.apply.arguments = close_items(o, exp->as.apply.count, exp->as.apply.arguments);
        return copy;
    case TAIL_EXP_IF:
        copy->as.conditional.condition = close(o, exp->as.conditional.condition);
        copy->as.conditional.then_case = close(o, exp->as.conditional.then_case);
        copy->as.conditional.else_case = close(o, exp->as.conditional.else_case);
        return copy;
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_COMPLEX:
    case TAIL_EXP_VARIABLE:
    case TAIL_EXP_LET: return exp;
    }
    return exp;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* let x = Prj(0,p) in let y = Prj(1,p) in body, of the parameter p; one is the parameter itself. */
static const TailExp *lambda_of(Elaboration *e, const Leaves *leaves, const TailExp *body)
{
    const size_t count = leaves->parameters.count;
    TailVariable *whole = count == 1 ? leaves->parameters.items[0] : NULL;
    if (count != 1) {
        const TailExp *all = one_or_tuple(e, count, leaves->found.items, leaves->span);
        const TailType *type = count == 0 ? tail_scalar_type(e->c, TAIL_BOOL) : all->type;
        whole = tail_variable(e->c, e->v, type, leaves->span);
    }
    for (size_t i = count; count > 1 && i-- > 0;) {
        const TailExp *part =
            tail_project(e->c, i, tail_use(e->c, whole, leaves->span), leaves->span);
        body = tail_let(e->c, leaves->parameters.items[i], part, body, leaves->span);
    }
    return tail_lambda(e->c, 1, &whole, body, leaves->span);
}

/* Elaborates the body for such arguments, apart from all that is there. */
static void make_function(Elaboration *e, Shared *shared, Function *function, Value *left,
                          Value *right, Span span)
{
    Span place = function->dfn->span;
    Leaves parameters = {.replace = as_parameter, .span = place};
    Leaves results = {.replace = collected, .span = place};
    const int64_t effects = e->effects;
    Block *outside = e->block;
    e->block = NULL;
    Block *block = elab_open(e);
    Value *inner_left = left == NULL ? NULL : with_leaves(e, left, &parameters);
    Value *inner_right = with_leaves(e, right, &parameters);
    const size_t own = parameters.parameters.count;
    Value *result = elab_run_closure(e, function, inner_left, inner_right, span);
    if (result->shy_if != NULL) {
        collected(e, &results, result->shy_if);
    }
    with_leaves(e, result, &results);
    const TailExp *body = one_or_tuple(e, results.found.count, results.found.items, place);
    elab_pop(e);
    e->block = outside;
    Outside o = {.e = e, .leaves = &parameters};
    for (size_t i = 0; i < own; i++) {
        bind(&o, parameters.parameters.items[i]);
    }
    const TailExp *lambda = lambda_of(e, &parameters, close(&o, elab_wrap(e, block, body)));
    TailVariable *variable = tail_variable(e->c, intern(e->c, "f"), lambda->type, place);
    LetBinding let = {variable, lambda};
    vec_push(e->c->arena, &e->functions, let);
    shared->function = variable;
    shared->effects = e->effects - effects;
    e->effects = effects;
    elab_spend(e, span, (int64_t)(results.found.count + parameters.found.count));
    shared->leaf_count = results.found.count;
    shared->result = result;
    for (size_t i = own; i < parameters.found.count; i++) {
        vec_push(e->c->arena, &shared->outside, parameters.found.items[i]);
    }
}

static Leaves leaves_of(Elaboration *e, const Value *left, const Value *right, Span place)
{
    Leaves leaves = {.replace = collected, .span = place};
    if (left != NULL) {
        with_leaves(e, left, &leaves);
    }
    with_leaves(e, right, &leaves);
    return leaves;
}

static Value *call_function(Elaboration *e, const Shared *shared, const Value *left,
                            const Value *right, Span span)
{
    Span place = elab_place(e, span);
    elab_spend(e, span, (int64_t)(shared->leaf_count + shared->outside.count));
    Leaves arguments = leaves_of(e, left, right, place);
    for (size_t i = 0; i < shared->outside.count; i++) {
        collected(e, &arguments, shared->outside.items[i]);
    }
    const TailExp *argument = one_or_tuple(e, arguments.found.count, arguments.found.items, place);
    Leaves results = {.replace = given, .count = shared->leaf_count, .span = place};
    results.call = elab_let(e, tail_apply(e->c, shared->function, 1, &argument, place));
    const TailExp *shy_if = NULL;
    e->effects += shared->effects;
    e->weight = 1 + (shared->effects > 0 ? WEIGHT_OF_EFFECT : 0);
    if (shared->result->shy_if != NULL) {
        shy_if = given(e, &results, NULL);
    }
    Value *value = elab_at(e, with_leaves(e, shared->result, &results), span);
    value->shy = shared->result->shy;
    value->shy_if = shy_if;
    return value;
}

/* ---- which calls ----------------------------------------------------------------------------- */

/* The weight of calls that are shared; 0: none are. Where equal calls are one (memo.c), they are not
   across functions; so functions come only where they have to. */
static int64_t least_shared(const Elaboration *e)
{
    bool large = SIZE_LIMIT - e->budget > LARGE_PROGRAM;
    return e->shares ? (e->c->options.keep_calls ? 1 : SMALL_CALL) : large ? LARGE_CALL : 0;
}

Shared *elab_shared(Elaboration *e, Function *function, const Value *left, const Value *right)
{
    if (e->trying || least_shared(e) == 0 || function->dfn->span.file->is_prelude) {
        return NULL;
    }
    if (count_leaves(right, MOST_LEAVES) > MOST_LEAVES ||
        (left != NULL && count_leaves(left, MOST_LEAVES) > MOST_LEAVES)) {
        return NULL;
    }
    Leaves leaves = leaves_of(e, left, right, function->span);
    Text types = text_create(e->c->arena);
    for (size_t i = 0; i < leaves.found.count; i++) {
        text_printf(&types, "%s ", tail_type_text(e->c, leaves.found.items[i]->type));
    }
    const char *signature = elab_shared_signature(e, function, left, right, text_get(&types));
    Shared *shared = elab_shared_of(e, signature, sizeof *shared);
    if (shared != NULL) {
        shared->signature = signature;
    }
    return shared;
}

void elab_note_shared(Shared *shared, int64_t weight)
{
    if (shared != NULL) {
        shared->weight = weight;
    }
}

Value *elab_shared_call(Elaboration *e, Shared *shared, Function *function, Value *left,
                        Value *right, Span span)
{
    if (shared == NULL || (shared->weight < least_shared(e) &&
                           pointer_map_get(&e->repeated, shared->signature) == NULL)) {
        return NULL;
    }
    if (shared->function == NULL) {
        pointer_map_set(e->c->arena, &e->repeated, shared->signature, function);
        make_function(e, shared, function, left, right, span);
    }
    return call_function(e, shared, left, right, span);
}
