/* Expressions and statements of bound trees. Long chains of applications, which nest to the right,
   are a loop here: the tree of a statement may be ten thousand applications deep. */
#include "apl/elaborate/internal.h"

/* ---- names and literals ---------------------------------------------------------------------- */

static bool is_own(const Elaboration *e, const char *name)
{
    return name == e->alpha || name == e->omega || name == e->alpha_alpha || name == e->omega_omega;
}

static Value *look_up(Elaboration *e, const Frame *frame, const AplNode *node)
{
    const char *name = node->as.text;
    Value *value = is_own(e, name) ? elab_lookup_local(frame, name) : elab_lookup(frame, name);
    if (value == NULL) {
        elab_fail(e, node->span, "VALUE ERROR", "%s has no value%s", name,
                  name == e->alpha ? " where the function has one argument" : "");
    }
    if (value->kind == VALUE_POISON) {
        elab_abandon(e);
    }
    value = elab_at(e, value, node->span);
    value->shy = false;
    return value;
}

static Value *strand(Elaboration *e, Frame *frame, const AplNode *node)
{
    Value **items = ARENA_ARRAY(e->c->arena, Value *, node->count);
    for (size_t i = node->count; i-- > 0;) {
        items[i] = elab_evaluate(e, frame, node->items[i]);
    }
    return elab_strand(e, node->count, items, node->span);
}

/* ⎕IO where the node stands. */
static int64_t origin_of(const Elaboration *e, const AplNode *node)
{
    return node->span.file != NULL && node->span.file->is_prelude ? 1 : e->origin;
}

/* What stands between the brackets, from the right; NULL where it is elided. */
static Value **index_positions(Elaboration *e, Frame *frame, const AplNode *node)
{
    size_t count = node->count - 1;
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (size_t i = count; i-- > 0;) {
        positions[i] =
            node->items[i + 1] == NULL ? NULL : elab_evaluate(e, frame, node->items[i + 1]);
    }
    return positions;
}

static bool is_number(const AplNode *node)
{
    return node->kind == APL_BOOL || node->kind == APL_INT || node->kind == APL_DOUBLE ||
           node->kind == APL_COMPLEX;
}

/* Of `array`, or, where this is NULL, of what stands before the brackets. */
static Value *index_expression(Elaboration *e, Frame *frame, const AplNode *node, Value *array)
{
    Value **positions = index_positions(e, frame, node);
    if (!array && is_number(node->items[0])) {
        elab_fail(e, node->span, "RANK ERROR",
                  "brackets index the number before them alone; in a list of numbers write "
                  "(1 2 3)[i]");
    }
    array = array ? array : elab_evaluate(e, frame, node->items[0]);
    return elab_index(e, array, node->count - 1, positions, origin_of(e, node), node->span);
}

/* Everything but applications and assignments. */
static Value *evaluate_leaf(Elaboration *e, Frame *frame, const AplNode *node)
{
    Span span = node->span;
    switch (node->kind) {
    case APL_BOOL: return elab_bool(e, node->as.integer != 0, span);
    case APL_INT:
        if (e->c->options.int_bits == 32 &&
            (node->as.integer > INT32_MAX || node->as.integer < INT32_MIN)) {
            elab_fail(e, span, "DOMAIN ERROR", "%s does not fit in 32 bits",
                      elab_digits(e, node->as.integer));
        }
        return elab_int(e, node->as.integer, span);
    case APL_DOUBLE: return elab_number(e, node->as.real, span);
    case APL_COMPLEX:
        return elab_value(e,
                          tail_complex(e->c, node->as.complex.real, node->as.complex.imaginary,
                                       elab_place(e, span)),
                          span);
    case APL_CHAR:
        return elab_value(e, tail_char(e->c, node->as.character, elab_place(e, span)), span);
    case APL_STRING:
        return elab_string(e, node->as.string.length, node->as.string.codepoints, span);
    case APL_ZILDE: return elab_empty(e, TAIL_BOOL, span);
    case APL_NAME: return look_up(e, frame, node);
    case APL_QUAD: elab_nonce(e, span, "⎕ (input) is");
    case APL_QUAD_NAME:
        if (apl_quad_class(node->as.text) == APL_CLASS_ARRAY) {
            return elab_quad_value(e, node);
        }
        return elab_function(e, elab_evaluate_function(e, frame, node));
    case APL_STRAND: return strand(e, frame, node);
    case APL_INDEX: return index_expression(e, frame, node, NULL);
    case APL_GLYPH:
    case APL_SELF:
    case APL_DFN:
    case APL_DERIVED:
    case APL_AXIS:
    case APL_FORK:
    case APL_ATOP: return elab_function(e, elab_evaluate_function(e, frame, node));
    case APL_SEQUENCE:
    case APL_PAREN:
    case APL_BRACKETS:
    case APL_ASSIGN_ARROW:
    case APL_MONADIC:
    case APL_DYADIC:
    case APL_ASSIGN:
    case APL_MODIFY:
    case APL_GUARD:
    case APL_DEFAULT:
    case APL_ERROR: break;
    }
    elab_fail(e, span, "SYNTAX ERROR", "this cannot stand in an expression");
}

/* ---- assignment ------------------------------------------------------------------------------ */

static const AplNode *right_of(const AplNode *node)
{
    switch ((int)node->kind) {
    case APL_MONADIC:
    case APL_ASSIGN: return node->items[1];
    case APL_DYADIC:
    case APL_MODIFY: return node->items[2];
    default: return NULL;
    }
}

static void assign_name(Elaboration *e, Frame *frame, const AplNode *target, Value *value)
{
    if (value->kind == VALUE_TUPLE || value->kind == VALUE_ARRAY) {
        elab_rename(e, value, target->as.text);
    }
    if (is_own(e, target->as.text)) {
        elab_fail(e, target->span, "SYNTAX ERROR", "%s cannot be assigned", target->as.text);
    }
    elab_bind_name(e->c, frame, target->as.text, value);
}

static void assign_strand(Elaboration *e, Frame *frame, const AplNode *target, Value *value)
{
    if (value->rank > 1) {
        elab_fail(e, target->span, "RANK ERROR",
                  "an array of rank %lld cannot be taken apart into names", (long long)value->rank);
    }
    int64_t count = value->rank == 0 ? (int64_t)target->count : value->extents[0];
    if (count < 0) {
        const char *text = elab_text(e, elab_place(e, value->span));
        elab_fail(e, target->span, "LENGTH ERROR",
                  "%zu names, and how many items %s has is known only at run time; say it, as in"
                  " %s←%zu↑%s",
                  target->count, text, elab_text(e, target->span), target->count, text);
    }
    if (count != (int64_t)target->count) {
        elab_fail(e, target->span, "LENGTH ERROR", "%zu names and %lld items", target->count,
                  (long long)count);
    }
    for (size_t i = target->count; i-- > 0;) {
        const AplNode *part = target->items[i];
        Value *item = elab_item(e, value, value->rank == 0 ? 0 : (int64_t)i, target->span);
        if (part->kind == APL_STRAND) {
            assign_strand(e, frame, part, item);
        } else {
            assign_name(e, frame, part, item);
        }
    }
}

static Value *old_value(Elaboration *e, const Frame *frame, const AplNode *name)
{
    Value *old = look_up(e, frame, name);
    if (old->kind == VALUE_FUNCTION || old->kind == VALUE_OPERATOR) {
        elab_fail(e, name->span, "SYNTAX ERROR", "%s is not an array", name->as.text);
    }
    return old;
}

/* a[i;j]←v, and a[i;j] f←v with a function. */
static void assign_indexed(Elaboration *e, Frame *frame, const AplNode *target, Function *function,
                           Value *value)
{
    const AplNode *name = target->items[0];
    size_t count = target->count - 1;
    if (name->kind != APL_NAME) {
        elab_fail(e, name->span, "SYNTAX ERROR", "only items of a named array can be assigned");
    }
    Value **positions = index_positions(e, frame, target);
    Value *old = old_value(e, frame, name);
    int64_t origin = origin_of(e, target);
    assign_name(e, frame, name,
                elab_assign(e, old, count, positions, origin, function, value, target->span));
}

static Value *evaluate(Elaboration *e, Frame *frame, const AplNode *node, Value *variable);

/* Of nested items the positions are those of the outer list: nothing selects within one of them. */
static void check_nested_selection(Elaboration *e, const AplNode *target)
{
    for (const AplNode *node = target; right_of(node) != NULL; node = right_of(node)) {
        const AplNode *function = node->items[node->count - 2];
        AplPrimitive primitive =
            function->kind == APL_GLYPH ? function->as.primitive : APL_PRIMITIVE_COUNT;
        bool flattens =
            node->kind == APL_MONADIC && (primitive == APL_UP || primitive == APL_EPSILON);
        if (flattens || (primitive == APL_DISCLOSE && node != target)) {
            elab_nonce(e, target->span, "the selection of a part of a nested item is");
        }
    }
}

/* (2↑a)←v: the same is selected of the positions of a's items; with a function also (2↑a) f←v. */
static void assign_selected(Elaboration *e, Frame *frame, const AplNode *target, Function *function,
                            Value *value)
{
    const AplNode *name = apl_target_name(target);
    Value *old = old_value(e, frame, name);
    if (old->kind == VALUE_TUPLE) {
        check_nested_selection(e, target);
    }
    Value *places = evaluate(e, frame, target, elab_all_positions(e, old, name->span));
    assign_name(e, frame, name,
                elab_assign_selected(e, old, places, function, value, target->span));
}

static void assign_target(Elaboration *e, Frame *frame, const AplNode *target, Value *value)
{
    switch ((int)target->kind) {
    case APL_NAME: assign_name(e, frame, target, value); return;
    case APL_QUAD: elab_print(e, value, target->span); return;
    case APL_QUAD_NAME: elab_quad_assign(e, target, value); return;
    case APL_STRAND:
        if (value->kind != VALUE_ARRAY && value->kind != VALUE_TUPLE) {
            elab_fail(e, target->span, "SYNTAX ERROR",
                      "a function cannot be taken apart into names");
        }
        assign_strand(e, frame, target, value);
        return;
    case APL_INDEX: assign_indexed(e, frame, target, NULL, value); return;
    case APL_MONADIC:
    case APL_DYADIC: assign_selected(e, frame, target, NULL, value); return;
    default: elab_fail(e, target->span, "SYNTAX ERROR", "this cannot be assigned");
    }
}

static Value *modify(Elaboration *e, Frame *frame, const AplNode *node, Value *value)
{
    const AplNode *target = node->items[0];
    Function *function = elab_evaluate_function(e, frame, node->items[1]);
    if (target->kind == APL_INDEX) {
        assign_indexed(e, frame, target, function, value);
    } else if (target->kind != APL_NAME) {
        assign_selected(e, frame, target, function, value);
    } else {
        Value *old = old_value(e, frame, target);
        assign_name(e, frame, target, elab_apply(e, function, old, value, function->span));
    }
    return value;
}

/* ---- applications and assignments, from the right -------------------------------------------- */

static Value *operator_value(Elaboration *e, Frame *frame, const AplNode *node);

static Value *step(Elaboration *e, Frame *frame, const AplNode *node, Value *value)
{
    switch ((int)node->kind) {
    case APL_MONADIC: {
        Function *function = elab_evaluate_function(e, frame, node->items[0]);
        return elab_apply(e, function, NULL, value, node->items[0]->span);
    }
    case APL_DYADIC: {
        Function *function = elab_evaluate_function(e, frame, node->items[1]);
        Value *left = elab_evaluate(e, frame, node->items[0]);
        return elab_apply(e, function, left, value, node->items[1]->span);
    }
    case APL_MODIFY: return modify(e, frame, node, value);
    default: assign_target(e, frame, node->items[0], value); return value;
    }
}

/* With `variable`, that stands in place of the name at the right end. */
static Value *evaluate(Elaboration *e, Frame *frame, const AplNode *node, Value *variable)
{
    VEC(const AplNode *) chain = {0};
    if (++e->depth > NESTING_LIMIT * 3) {
        elab_too_deep(e, node->span, "expressions");
    }
    while (right_of(node) != NULL) {
        vec_push(e->c->arena, &chain, node);
        node = right_of(node);
    }
    bool is_operator = node->class == APL_CLASS_MONADIC_OPERATOR ||
                       node->class == APL_CLASS_DYADIC_OPERATOR || node->class == APL_CLASS_HYBRID;
    Value *value = variable && node->kind == APL_INDEX ? index_expression(e, frame, node, variable)
                   : variable                          ? variable
                   : is_operator && chain.count > 0    ? operator_value(e, frame, node)
                                                       : evaluate_leaf(e, frame, node);
    for (size_t i = chain.count; i-- > 0;) {
        Span span = node->span;
        node = chain.items[i];
        bool array = node->kind == APL_MONADIC || node->kind == APL_DYADIC;
        if (array && value->kind != VALUE_ARRAY && value->kind != VALUE_TUPLE) {
            elab_fail(e, span, "SYNTAX ERROR", "a function cannot be an argument of a function");
        }
        value = elab_at(e, step(e, frame, node, value), node->span);
    }
    e->depth--;
    return value;
}

Value *elab_evaluate(Elaboration *e, Frame *frame, const AplNode *node)
{
    return evaluate(e, frame, node, NULL);
}

/* ---- functions and operators ----------------------------------------------------------------- */

static Function *new_function(Elaboration *e, FunctionKind kind, Span span)
{
    Function *function = ARENA_NEW(e->c->arena, Function);
    function->kind = kind;
    function->span = span;
    function->origin = span.file != NULL && span.file->is_prelude ? 1 : e->origin;
    return function;
}

static Function *new_closure(Elaboration *e, Frame *frame, const AplNode *dfn)
{
    Function *function = new_function(e, FUNCTION_CLOSURE, dfn->span);
    function->dfn = dfn;
    function->frame = frame;
    return function;
}

static Value *operator_value(Elaboration *e, Frame *frame, const AplNode *node)
{
    Function *function;
    switch ((int)node->kind) {
    case APL_NAME: return look_up(e, frame, node);
    case APL_DFN: function = new_closure(e, frame, node); break;
    case APL_QUAD_NAME:
        function = new_function(
            e, strcmp(node->as.text, "⎕ASSOC") == 0 ? FUNCTION_ASSOC : FUNCTION_BENCH, node->span);
        break;
    case APL_GLYPH:
        function = new_function(e, FUNCTION_DERIVED, node->span);
        function->primitive = node->as.primitive;
        break;
    default: elab_fail(e, node->span, "SYNTAX ERROR", "this is not an operator");
    }
    Value *value = elab_function(e, function);
    value->kind = VALUE_OPERATOR;
    return value;
}

static Value *operand(Elaboration *e, Frame *frame, const AplNode *node)
{
    if (node == NULL) {
        return NULL;
    }
    if (node->class == APL_CLASS_FUNCTION) {
        return elab_function(e, elab_evaluate_function(e, frame, node));
    }
    return elab_evaluate(e, frame, node);
}

static Function *derived(Elaboration *e, Frame *frame, const AplNode *node)
{
    Value *right = operand(e, frame, node->count > 2 ? node->items[2] : NULL);
    const Value *value = operator_value(e, frame, node->items[0]);
    if (value->kind != VALUE_OPERATOR) {
        elab_fail(e, node->items[0]->span, "SYNTAX ERROR", "this is not an operator");
    }
    Function *function = arena_copy(e->c->arena, value->function, sizeof *value->function);
    function->active = false;
    elab_forget_signatures(function);
    function->right = right;
    function->left = operand(e, frame, node->items[1]);
    if (function->kind != FUNCTION_CLOSURE) {
        function->span = node->items[0]->span;
    }
    if ((function->kind == FUNCTION_BENCH || function->kind == FUNCTION_ASSOC) &&
        (function->left->kind != VALUE_FUNCTION || function->right->kind == VALUE_FUNCTION)) {
        elab_fail(e, node->span, "SYNTAX ERROR", "%s needs a function to its left and %s",
                  function->kind == FUNCTION_BENCH ? "⎕BENCH" : "⎕ASSOC",
                  function->kind == FUNCTION_BENCH ? "a count to its right"
                                                   : "its identity element to its right");
    }
    return function;
}

static Function *train(Elaboration *e, Frame *frame, const AplNode *node)
{
    bool fork = node->kind == APL_FORK;
    Function *function = new_function(e, fork ? FUNCTION_FORK : FUNCTION_ATOP, node->span);
    function->right = operand(e, frame, node->items[fork ? 2 : 1]);
    function->middle = fork ? elab_evaluate_function(e, frame, node->items[1]) : NULL;
    function->left = operand(e, frame, node->items[0]);
    if (function->right->kind != VALUE_FUNCTION) {
        elab_fail(e, node->span, "SYNTAX ERROR", "the right end of a train is a function");
    }
    return function;
}

Function *elab_evaluate_function(Elaboration *e, Frame *frame, const AplNode *node)
{
    Function *function;
    if (++e->depth > NESTING_LIMIT * 3) {
        elab_too_deep(e, node->span, "functions");
    }
    switch ((int)node->kind) {
    case APL_GLYPH: function = elab_primitive(e, node->as.primitive, node->span); break;
    case APL_DFN: function = new_closure(e, frame, node); break;
    case APL_QUAD_NAME:
        function = new_function(e, FUNCTION_QUAD, node->span);
        function->quad = node->as.text;
        break;
    case APL_SELF:
        elab_fail(e, node->span, "NONCE ERROR",
                  "∇ where its result is used further is not supported: a function may call itself"
                  " only as the last thing that it does, which is a loop; ⍺ can carry what is"
                  " computed so far, as in {⍵≤1:⍺ ⋄ (⍺×⍵)∇⍵-1}");
    case APL_DERIVED: function = derived(e, frame, node); break;
    case APL_AXIS:
        function = new_function(e, FUNCTION_AXIS, node->span);
        function->axis = elab_evaluate(e, frame, node->items[1]);
        function->left = elab_function(e, elab_evaluate_function(e, frame, node->items[0]));
        break;
    case APL_FORK:
    case APL_ATOP: function = train(e, frame, node); break;
    default: {
        const Value *value = elab_evaluate(e, frame, node);
        if (value->kind != VALUE_FUNCTION) {
            elab_fail(e, node->span, "SYNTAX ERROR", "a function is wanted here");
        }
        function = value->function;
        if (function->kind == FUNCTION_CLOSURE || function->kind == FUNCTION_QUAD) {
            break;
        }
        /* errors of a named primitive or derived function point at the name */
        function = arena_copy(e->c->arena, function, sizeof *function);
        function->span = node->span;
        break;
    }
    }
    e->depth--;
    return function;
}
