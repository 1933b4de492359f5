/* Application: of primitives (a table of rules), of dfns (their bodies elaborated at these
   arguments), of derived functions and trains. */
#include "apl/elaborate/internal.h"

/* ---- primitives ------------------------------------------------------------------------------ */

typedef Value *(*Rule)(Elaboration *e, const Call *call);
enum { MONADIC = 1, DYADIC = 2, BOTH = 3 };

typedef struct PrimitiveRule {
    Rule rule;
    int valences;
    bool takes_axis;
} PrimitiveRule;

static Value *rule_same(Elaboration *e, const Call *call)
{
    (void)e;
    return call->left == NULL || call->primitive == APL_RIGHT ? call->right : call->left;
}

static const PrimitiveRule rules[APL_PRIMITIVE_COUNT] = {
    [APL_RHO] = {elab_rule_shape, BOTH, false},
    [APL_COMMA] = {elab_rule_ravel, BOTH, true},
    [APL_COMMA_BAR] = {elab_rule_table, BOTH, true},
    [APL_REVERSE] = {elab_rule_reverse, BOTH, true},
    [APL_REVERSE_FIRST] = {elab_rule_reverse, BOTH, true},
    [APL_TRANSPOSE] = {elab_rule_transpose, BOTH, false},
    [APL_UP] = {elab_rule_up, BOTH, true},
    [APL_DOWN] = {elab_rule_down, BOTH, true},
    [APL_DISCLOSE] = {elab_rule_first, BOTH, false},
    [APL_ENCLOSE] = {elab_rule_enclose, BOTH, true},
    [APL_SQUISH] = {elab_rule_squish, BOTH, true},
    [APL_TALLY] = {elab_rule_tally, BOTH, false},
    [APL_MATCH] = {elab_rule_match, BOTH, false},
    [APL_IOTA] = {elab_rule_iota, BOTH, false},
    [APL_FORMAT] = {elab_rule_format, BOTH, false},
    [APL_EPSILON] = {elab_rule_epsilon, BOTH, false},
    [APL_SLASH] = {elab_rule_replicate, DYADIC, true},
    [APL_SLASH_BAR] = {elab_rule_replicate, DYADIC, true},
    [APL_BACKSLASH] = {elab_rule_replicate, DYADIC, true},
    [APL_BACKSLASH_BAR] = {elab_rule_replicate, DYADIC, true},
    [APL_TILDE] = {elab_rule_without, DYADIC, false},
    [APL_UNION] = {elab_rule_union, BOTH, false},
    [APL_INTERSECTION] = {elab_rule_intersection, DYADIC, false},
    [APL_WHERE] = {elab_rule_where, BOTH, false},
    [APL_FIND] = {elab_rule_find, DYADIC, false},
    [APL_GRADE_UP] = {elab_rule_grade, BOTH, false},
    [APL_GRADE_DOWN] = {elab_rule_grade, BOTH, false},
    [APL_ROLL] = {elab_rule_deal, DYADIC, false},
    [APL_DOMINO] = {elab_rule_domino, BOTH, false},
    [APL_DECODE] = {elab_rule_decode, DYADIC, false},
    [APL_ENCODE] = {elab_rule_encode, DYADIC, false},
};

static void check_arguments(Elaboration *e, const Call *call)
{
    const Value *both[] = {call->left, call->right};
    for (size_t i = 0; i < 2; i++) {
        if (both[i] != NULL && both[i]->kind != VALUE_ARRAY && both[i]->kind != VALUE_TUPLE) {
            elab_fail(e, call->span, "SYNTAX ERROR", "%s (%s) of a function",
                      apl_primitive_glyph(call->primitive), apl_primitive_name(call->primitive));
        }
    }
}

/* The left argument of these is whole numbers, in no APL nested items. */
static void refuse_nested_numbers(Elaboration *e, const Call *call)
{
    if (call->left == NULL || call->left->kind != VALUE_TUPLE) {
        return;
    }
    switch ((int)call->primitive) {
    case APL_RHO:
    case APL_UP:
    case APL_DOWN:
    case APL_REVERSE:
    case APL_REVERSE_FIRST:
    case APL_TRANSPOSE:
    case APL_SLASH:
    case APL_SLASH_BAR:
    case APL_BACKSLASH:
    case APL_BACKSLASH_BAR:
        elab_as_int(e, call->left, call->left->span,
                    arena_printf(e->c->arena, "the left argument of %s",
                                 apl_primitive_glyph(call->primitive)));
        break;
    default: break;
    }
}

Value *elab_apply_primitive(Elaboration *e, const Call *call)
{
    AplPrimitive primitive = call->primitive;
    bool dyadic = call->left != NULL;
    check_arguments(e, call);
    if (primitive == APL_RIGHT || primitive == APL_LEFT) {
        return rule_same(e, call);
    }
    if (elab_is_scalar_function(primitive, dyadic)) {
        return elab_scalar_function(e, call);
    }
    const PrimitiveRule *rule = &rules[primitive];
    const char *glyph = apl_primitive_glyph(primitive), *name = apl_primitive_name(primitive);
    if (rule->rule == NULL || (rule->valences & (dyadic ? DYADIC : MONADIC)) == 0) {
        bool scalar = elab_is_scalar_function(primitive, !dyadic) && primitive != APL_ROLL &&
                      primitive != APL_TILDE;
        if (scalar || rule->rule != NULL) {
            elab_fail(e, call->span, "SYNTAX ERROR", "%s (%s) needs %s", glyph, name,
                      dyadic ? "one argument" : "two arguments");
        }
        if (primitive == APL_EXECUTE) {
            elab_fail(e, call->span, "NONCE ERROR",
                      "%s (%s) is refused: no compiler is there when the program runs", glyph,
                      name);
        }
        elab_nonce(e, call->span, "%s (%s)%s is", glyph, name,
                   primitive == APL_ROLL ? " with two arguments" : "");
    }
    if (call->axis != NULL && !rule->takes_axis) {
        elab_nonce(e, call->axis->span, "%s (%s) with an axis is", glyph, name);
    }
    bool positions =
        (primitive == APL_SQUISH || primitive == APL_DISCLOSE) && call->right->kind == VALUE_ARRAY;
    if (!positions &&
        (call->right->kind == VALUE_TUPLE || (dyadic && call->left->kind == VALUE_TUPLE))) {
        Value *result = elab_tuple_primitive(e, call);
        if (result == NULL && primitive == APL_ENCLOSE) {
            return rule->rule(e, call);
        }
        if (result == NULL) {
            refuse_nested_numbers(e, call);
            elab_nonce(e, call->span, "%s (%s) of nested items is", glyph, name);
        }
        return result;
    }
    return rule->rule(e, call);
}

/* ---- dfns ------------------------------------------------------------------------------------ */

void elab_bind_operands(Elaboration *e, Frame *frame, const Function *function)
{
    if (function->left != NULL) {
        elab_bind_name(e->c, frame, e->alpha_alpha, function->left);
    }
    if (function->right != NULL) {
        elab_bind_name(e->c, frame, e->omega_omega, function->right);
    }
}

static Value *plain_call(Elaboration *e, const Function *function, Value *left, Value *right,
                         Span span)
{
    Frame *frame = elab_frame(e->c, function->frame, false);
    if (left != NULL) {
        elab_bind_name(e->c, frame, e->alpha, left);
    }
    elab_bind_name(e->c, frame, e->omega, right);
    elab_bind_operands(e, frame, function);
    frame->dfn = function->dfn;
    return elab_body(e, frame, 0, span);
}

Value *elab_run_closure(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    return function->dfn->as.dfn.uses_self ? elab_recursive_call(e, function, left, right, span)
                                           : plain_call(e, function, left, right, span);
}

Value *elab_call_closure(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    enum { DEPTH = 10 }; /* a call weighs as much as so many nested expressions */
    if (function->active && function->left == NULL) {
        elab_recursion(e, function, span);
    }
    e->depth += DEPTH;
    if (e->depth > NESTING_LIMIT * 3) {
        elab_too_deep(e, span, "functions");
    }
    if (e->active.count == 0) {
        e->outermost_call = span;
    }
    elab_spend(e, span, 1);
    const char *signature = elab_signature(e, function, left, right);
    Value *known = elab_remembered(e, signature);
    if (known != NULL) {
        e->depth -= DEPTH;
        return known;
    }
    Shared *shared = elab_stands_for_group(e, right) ? NULL : elab_shared(e, function, left, right);
    int64_t before = e->weight, effects = e->effects;
    e->weight = 0;
    bool outermost = !function->active;
    function->active = true;
    Activation activation = {function, signature};
    vec_push(e->c->arena, &e->active, activation);
    Value *result = elab_shared_call(e, shared, function, left, right, span);
    if (result == NULL) {
        result = elab_run_closure(e, function, left, right, span);
        elab_note_shared(shared, e->weight);
    }
    e->active.count--;
    if (outermost) {
        function->active = false;
    }
    elab_remember(e, signature, result, e->weight, effects);
    elab_weigh(e, before);
    e->depth -= DEPTH;
    return result;
}

Value *elab_prelude(Elaboration *e, const char *name)
{
    Value *value = elab_lookup(e->prelude, intern(e->c, name));
    if (value == NULL || value->kind != VALUE_FUNCTION) {
        internal_error(e->c, "the prelude defines no function %s", name);
    }
    return value;
}

Value *elab_apply_prelude(Elaboration *e, const char *name, Value *left, Value *right, Span span)
{
    return elab_apply(e, elab_prelude(e, name)->function, left, right, span);
}

Function *elab_prelude_operator(Elaboration *e, const char *name, Value *left, Value *right)
{
    const Value *value = elab_lookup(e->prelude, intern(e->c, name));
    if (value == NULL || value->kind != VALUE_OPERATOR) {
        internal_error(e->c, "the prelude defines no operator %s", name);
    }
    Function *function = arena_copy(e->c->arena, value->function, sizeof *value->function);
    elab_forget_signatures(function);
    function->left = left;
    function->right = right;
    return function;
}

Value *elab_apply_prelude_operator(Elaboration *e, const char *name, Value *left_operand,
                                   Value *right_operand, Value *left, Value *right, Span span)
{
    Function *function = elab_prelude_operator(e, name, left_operand, right_operand);
    return elab_apply(e, function, left, right, span);
}

/* ---- all kinds of functions ------------------------------------------------------------------ */

static Value *apply_fork(Elaboration *e, const Function *fork, Value *left, Value *right, Span span)
{
    Value *second = elab_apply(e, fork->right->function, left, right, span);
    Value *first = fork->left;
    if (first->kind == VALUE_FUNCTION) {
        first = elab_apply(e, first->function, left, right, span);
    }
    return elab_apply(e, fork->middle, first, second, span);
}

static Value *apply_axis(Elaboration *e, const Function *function, Value *left, Value *right,
                         Span span)
{
    Function *inner = function->left->function;
    if (inner->kind == FUNCTION_DERIVED) {
        return elab_derived(e, inner, function->axis, left, right, span);
    }
    if (inner->kind != FUNCTION_PRIMITIVE) {
        elab_nonce(e, function->span, "an axis for a defined function is");
    }
    Call call = {inner->primitive, left, right, function->axis, inner->origin, inner->span};
    return elab_apply_primitive(e, &call);
}

static Value *apply_kind(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    switch (function->kind) {
    case FUNCTION_PRIMITIVE: {
        Call call = {function->primitive, left, right, NULL, function->origin, function->span};
        return elab_apply_primitive(e, &call);
    }
    case FUNCTION_CLOSURE: return elab_call_closure(e, function, left, right, span);
    case FUNCTION_DERIVED: return elab_derived(e, function, NULL, left, right, function->span);
    case FUNCTION_AXIS: return apply_axis(e, function, left, right, span);
    case FUNCTION_FORK: return apply_fork(e, function, left, right, span);
    case FUNCTION_ATOP:
        return elab_apply(e, function->left->function, NULL,
                          elab_apply(e, function->right->function, left, right, span), span);
    case FUNCTION_QUAD: return elab_quad_apply(e, function, left, right, function->span);
    case FUNCTION_ASSOC: return elab_apply(e, function->left->function, left, right, span);
    case FUNCTION_GROUP: return elab_apply_to_group(e, function, left, right, span);
    case FUNCTION_BENCH:
        elab_effect(e, function->span, "⎕BENCH");
        return elab_power(e, function->left->function, function->right, left, right, true,
                          function->span);
    }
    return NULL;
}

Value *elab_apply(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    if (++e->depth > NESTING_LIMIT * 3) {
        elab_too_deep(e, span, "functions");
    }
    Span before = e->user_span;
    if (span.file != NULL && !span.file->is_prelude) {
        e->user_span = span;
    }
    Value *result = apply_kind(e, function, left, right, span);
    bool shy = result != NULL && (result->shy || result->shy_if != NULL);
    if (shy && function->kind != FUNCTION_CLOSURE) { /* ⊢f x */
        result = elab_at(e, result, result->span);
        result->shy = false;
        result->shy_if = NULL;
    }
    e->user_span = before;
    e->depth--;
    return result;
}

Value *elab_apply_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    return elab_apply(e, context, left, right, span);
}
