/* Function values of the front form: they exist at compile time only. A lambda or local function is
   elaborated anew wherever it is applied, with the environment in which it was written; a
   definition is called; the rest are built-in words, operators and sections. Any of them may have
   some of its arguments already.

       map (\x -> x + a) xs        the body becomes the function of the SOAC, a is free in it
       reduce max 0 xs             \a b -> max a b
       map (g k) xs                \x -> g k x
       let twice f x = f (f x)     f may be a function: x stays what it is */
#include "core/front/elaborate.h"

/* ---- making ---------------------------------------------------------------------------------- */

typedef struct BuiltinRow {
    const char *text;
    size_t least, most;
} BuiltinRow;

static const BuiltinRow builtin_rows[BUILTIN_COUNT] = {
#define FRONT_BUILTIN(enumerator, text, least, most) {text, least, most},
#include "core/front/builtins.def"
#undef FRONT_BUILTIN
};

const char *front_builtin_text(Builtin builtin)
{
    return builtin_rows[builtin].text;
}

Value front_function_value(Elaborator *e, Function function)
{
    return (Value){.kind = VALUE_FUNCTION,
                   .function = arena_copy(e->c->arena, &function, sizeof function)};
}

bool front_builtin(Elaborator *e, const char *name, Function *function)
{
    (void)e;
    for (int builtin = 0; builtin < BUILTIN_COUNT; builtin++) {
        if (strcmp(name, builtin_rows[builtin].text) == 0) {
            *function =
                (Function){.kind = FUNCTION_BUILTIN, .name = name, .builtin = (Builtin)builtin};
            return true;
        }
    }
    for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
        if (strcmp(name, core_operator_text((CoreOperator)op)) == 0) {
            *function = (Function){.kind = FUNCTION_OPERATOR, .name = name, .op = (CoreOperator)op};
            return true;
        }
    }
    return false;
}

Value front_section(Elaborator *e, const FrontExp *exp)
{
    Function function = {.name = "a section", .infix = exp->as.operation.infix};
    const FrontExp *left = exp->as.operation.x, *right = exp->as.operation.y;
    function.op = exp->as.operation.op;
    function.kind = !left && !right && function.infix == FRONT_INFIX_OPERATOR ? FUNCTION_OPERATOR
                                                                              : FUNCTION_SECTION;
    if (function.kind == FUNCTION_OPERATOR) {
        function.name = core_operator_text(function.op);
    }
    function.has_left = left != NULL;
    function.has_right = right != NULL;
    if (left) {
        function.left = front_operand(e, left);
    }
    if (right) {
        function.right = front_operand(e, right);
    }
    return front_function_value(e, function);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* How many arguments it takes in all; *most is SIZE_MAX for any number. */
static size_t arity(const Function *function, size_t *most)
{
    size_t least = 1;
    switch (function->kind) {
    case FUNCTION_CLOSURE: least = function->syntax->parameter_count; break;
    case FUNCTION_DEFINITION: least = function->definition->syntax->parameter_count; break;
    case FUNCTION_OPERATOR: least = (size_t)core_operator_arity(function->op); break;
    case FUNCTION_SECTION:
        least = 2 - (size_t)function->has_left - (size_t)function->has_right;
        break;
    case FUNCTION_CONVERSION: least = 1; break;
    case FUNCTION_BUILTIN:
        *most = builtin_rows[function->builtin].most;
        *most = *most ? *most : SIZE_MAX;
        return builtin_rows[function->builtin].least;
    }
    *most = least;
    return least;
}

const Function *front_to_function(Elaborator *e, const Value *value, const char *what, Span span)
{
    if (value->kind == VALUE_FUNCTION) {
        return value->function;
    }
    if (value->kind == VALUE_LITERAL) {
        Value data = front_force(e, *value, NO_WANT, span);
        data.span = value->span;
        return front_to_function(e, &data, what, span);
    }
    if (value->kind == VALUE_DATA) {
        front_mismatch(e, front_value_span(value, span), what, "a function",
                       front_type_text(e, value->type));
    }
    return NULL;
}

static const FrontFunction *syntax_of(const Function *function)
{
    return function->kind == FUNCTION_CLOSURE      ? function->syntax
           : function->kind == FUNCTION_DEFINITION ? function->definition->syntax
                                                   : NULL;
}

const FrontPattern *front_parameter(const Function *function, size_t i)
{
    const FrontFunction *syntax = syntax_of(function);
    i += function->given_count;
    return syntax && i < syntax->parameter_count ? syntax->parameters[i] : NULL;
}

const Type *front_parameter_wanted(Elaborator *e, const Function *function, size_t i)
{
    const FrontPattern *pattern = front_parameter(function, i);
    return pattern ? front_pattern_wanted(e, pattern) : NULL;
}

/* ---- applying -------------------------------------------------------------------------------- */

static Value apply_closure(Elaborator *e, const Function *function, const Value *arguments,
                           Want want, Span span)
{
    const FrontFunction *syntax = function->syntax;
    if (!front_enter(e, span)) {
        return ERROR_VALUE;
    }
    const Environment *outer = e->environment;
    e->environment = function->environment;
    for (size_t i = 0; i < syntax->parameter_count; i++) {
        front_bind_pattern(e, syntax->parameters[i], arguments[i]);
    }
    if (syntax->result) {
        want.type = front_type_wanted(e, syntax->result);
    }
    Value result = front_elaborate_exp(e, syntax->body, want);
    if (syntax->result) {
        result = front_ascribe(e, result, syntax->result, NULL);
    }
    e->environment = outer;
    front_leave(e);
    return result;
}

static Value apply_section(Elaborator *e, const Function *function, const Value *arguments,
                           Want want, Span span)
{
    Value operands[2];
    operands[0] = function->has_left ? function->left : *arguments++;
    operands[1] = function->has_right ? function->right : *arguments;
    switch (function->infix) {
    case FRONT_INFIX_OPERATOR:
        return front_operator(e, function->op, operands[0], &operands[1], want, span);
    case FRONT_INFIX_AND: return front_operator(e, CORE_AND, operands[0], &operands[1], want, span);
    case FRONT_INFIX_OR: return front_operator(e, CORE_OR, operands[0], &operands[1], want, span);
    case FRONT_INFIX_APPEND: return front_concat(e, 0, 2, operands, want.text, span);
    }
    internal_error(e->c, "section of kind %d", (int)function->infix);
}

static Value apply_exactly(Elaborator *e, const Function *function, size_t count,
                           const Value *arguments, Want want, Span span)
{
    Call call = {function, count, arguments, want, span};
    switch (function->kind) {
    case FUNCTION_CLOSURE: return apply_closure(e, function, arguments, want, span);
    case FUNCTION_DEFINITION: return front_call(e, function->definition, arguments, want, span);
    case FUNCTION_OPERATOR:
        return front_operator(e, function->op, arguments[0], count > 1 ? &arguments[1] : NULL, want,
                              span);
    case FUNCTION_SECTION: return apply_section(e, function, arguments, want, span);
    case FUNCTION_CONVERSION: return front_conversion(e, function->prim, arguments[0], want, span);
    case FUNCTION_BUILTIN: return front_apply_builtin(e, &call);
    }
    internal_error(e->c, "function of kind %d", (int)function->kind);
}

void front_arity_error(Elaborator *e, const Function *function, size_t count, Span span)
{
    size_t most, least = arity(function, &most);
    front_error(e, span, "TYPE ERROR", "%s takes %s%zu argument%s, found %zu", function->name,
                least < most ? "at least " : "", least, least == 1 ? "" : "s", count);
}

Value front_apply(Elaborator *e, const Function *function, size_t count, const Value *arguments,
                  Want want, Span span)
{
    size_t most, least = arity(function, &most), total = function->given_count + count;
    Value *all = ARENA_ARRAY(e->c->arena, Value, total);
    for (size_t i = 0; i < total; i++) {
        all[i] =
            i < function->given_count ? function->given[i] : arguments[i - function->given_count];
    }
    if (total < least) {
        Function partial = *function;
        partial.given_count = total;
        partial.given = all;
        return front_function_value(e, partial);
    }
    Function whole = *function;
    whole.given_count = 0;
    if (total <= most) {
        return apply_exactly(e, arena_copy(e->c->arena, &whole, sizeof whole), total, all, want,
                             span);
    }
    if (function->kind != FUNCTION_CLOSURE) {
        front_arity_error(e, function, total, span);
        return ERROR_VALUE;
    }
    /* A body may be a function that takes the rest. */
    Value result =
        apply_exactly(e, arena_copy(e->c->arena, &whole, sizeof whole), most, all, NO_WANT, span);
    if (result.kind == VALUE_FUNCTION) {
        return front_apply(e, result.function, total - most, all + most, want, span);
    }
    if (result.kind != VALUE_ERROR) {
        front_arity_error(e, function, total, span);
    }
    return ERROR_VALUE;
}

Value front_apply_exp(Elaborator *e, const FrontExp *exp, Want want)
{
    const FrontExp *head = exp->as.apply.function;
    Value function = front_elaborate_exp(e, head, NO_WANT);
    size_t count = exp->as.apply.count;
    Value *arguments = ARENA_ARRAY(e->c->arena, Value, count);
    for (size_t i = 0; i < count; i++) {
        const FrontExp *argument = exp->as.apply.arguments[i];
        const Type *wanted = function.kind == VALUE_FUNCTION
                                 ? front_parameter_wanted(e, function.function, i)
                                 : NULL;
        arguments[i] =
            wanted ? front_data(e, argument, (Want){wanted, NULL}) : front_operand(e, argument);
        arguments[i].span = argument->span;
    }
    if (function.kind == VALUE_ERROR) {
        return ERROR_VALUE;
    }
    if (function.kind != VALUE_FUNCTION) {
        function = front_force(e, function, NO_WANT, head->span);
        return front_mismatch(e, head->span, NULL, "a function", front_value_text(e, &function));
    }
    return front_apply(e, function.function, count, arguments, want, exp->span);
}
