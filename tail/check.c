/* The TAIL checker: scopes and types of a whole program, independently of how it was built.

   It says as diagnostics what the constructors of build.c insist on: each variable is bound once
   and used within its scope; a let's annotation is a supertype of its value's type; each call fits
   its builtin's scheme, and its type and instance list are those that inference gives; literals,
   vectors, tuples, projections, functions and conditionals have the types of docs/tail.md.
   Programs of another front end, or written by hand, pass through here too. */
#include "tail/tail.h"

typedef struct Checker {
    Compilation *c;
    size_t bound_count;
    const TailVariable **bound; /* by number: the variable of that number, once seen */
    bool *visible;              /* by number: in scope here */
    VEC(unsigned) scope;        /* numbers in scope, innermost last */
    size_t *places;             /* by number: in `scope` */
    size_t closed;              /* in a function that a let binds: what stands before is outside */
    int depth;
    bool too_deep; /* said so */
    bool ok;
} Checker;

static void check_exp(Checker *checker, const TailExp *exp);

static void report(Checker *checker, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void report(Checker *checker, Span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(checker->c->diagnostics, span, "TYPE ERROR", format, arguments);
    va_end(arguments);
    checker->ok = false;
}

static const char *type_text(Checker *checker, const TailType *type)
{
    return tail_type_text(checker->c, type);
}

static void expect_type(Checker *checker, const TailExp *exp, const TailType *type)
{
    if (tail_type_equal(exp->type, type))
        return;
    report(checker, exp->span, "an expression of type %s is marked as %s", type_text(checker, type),
           type_text(checker, exp->type));
}

/* ---- scopes -------------------------------------------------------------------------------- */

static void reserve_number(Checker *checker, unsigned number)
{
    if (number < checker->bound_count)
        return;
    size_t count = checker->bound_count;
    while (count <= number)
        count = count ? count * 2 : 64;
    const TailVariable **bound = ARENA_ARRAY(checker->c->arena, const TailVariable *, count);
    bool *visible = ARENA_ARRAY(checker->c->arena, bool, count);
    size_t *places = ARENA_ARRAY(checker->c->arena, size_t, count);
    if (checker->bound_count) {
        memcpy(bound, checker->bound, checker->bound_count * sizeof *bound);
        memcpy(visible, checker->visible, checker->bound_count * sizeof *visible);
        memcpy(places, checker->places, checker->bound_count * sizeof *places);
    }
    checker->bound = bound;
    checker->visible = visible;
    checker->places = places;
    checker->bound_count = count;
}

static void bind(Checker *checker, const TailVariable *variable)
{
    unsigned number = variable->number;
    reserve_number(checker, number);
    if (checker->visible[number] ||
        (checker->bound[number] && checker->bound[number] != variable)) {
        report(checker, variable->span, "v%u is bound twice", number);
    }
    checker->bound[number] = variable;
    checker->visible[number] = true;
    checker->places[number] = checker->scope.count;
    vec_push(checker->c->arena, &checker->scope, number);
}

static void leave_scope(Checker *checker, size_t mark)
{
    while (checker->scope.count > mark) {
        checker->visible[checker->scope.items[--checker->scope.count]] = false;
    }
}

static bool is_in_scope(Checker *checker, const TailVariable *variable, Span span)
{
    reserve_number(checker, variable->number);
    bool in_scope =
        checker->visible[variable->number] && checker->bound[variable->number] == variable;
    if (!in_scope)
        report(checker, span, "v%u is used outside its scope", variable->number);
    return in_scope;
}

static void check_variable(Checker *checker, const TailExp *exp)
{
    const TailVariable *variable = exp->as.variable;
    if (!is_in_scope(checker, variable, exp->span))
        return;
    if (variable->type->kind == TAIL_FUNCTION) {
        report(checker, exp->span, "v%u is a function, which can only be called", variable->number);
    } else if (checker->places[variable->number] < checker->closed) {
        report(checker, exp->span, "v%u is bound outside of the function that uses it",
               variable->number);
    }
    expect_type(checker, exp, variable->type);
}

/* ---- the kinds of expressions -------------------------------------------------------------- */

static void check_vector(Checker *checker, const TailExp *exp)
{
    size_t count = exp->as.items.count;
    if (count == 0) {
        report(checker, exp->span, "a vector literal has no items");
        return;
    }
    const TailType *first = exp->as.items.items[0]->type;
    for (size_t i = 0; i < count; i++) {
        const TailType *type = exp->as.items.items[i]->type;
        check_exp(checker, exp->as.items.items[i]);
        if (!tail_is_array(type) || tail_rank(type) != 0 || type->base.kind != first->base.kind) {
            report(checker, exp->as.items.items[i]->span,
                   "an item of type %s in a vector literal of %s", type_text(checker, type),
                   tail_base_text(first->base.kind));
            return;
        }
    }
    TailBaseKind base = first->base.kind;
    if (base != TAIL_INT && base != TAIL_BOOL) {
        expect_type(checker, exp, tail_array_type(checker->c, base, 1));
    } else if (count == 1 && first->kind == TAIL_SINGLE) {
        expect_type(checker, exp, tail_single_vector_type(checker->c, base, first->shape.constant));
    } else {
        expect_type(checker, exp, tail_vector_type(checker->c, base, (int64_t)count));
    }
}

static void check_tuple(Checker *checker, const TailExp *exp)
{
    bool fits = exp->type->kind == TAIL_TUPLE && exp->type->count == exp->as.items.count;
    for (size_t i = 0; i < exp->as.items.count; i++) {
        check_exp(checker, exp->as.items.items[i]);
        fits = fits && tail_type_equal(exp->type->items[i], exp->as.items.items[i]->type);
    }
    if (!fits) {
        report(checker, exp->span, "a tuple is marked as %s", type_text(checker, exp->type));
    }
}

static void check_project(Checker *checker, const TailExp *exp)
{
    const TailExp *tuple = exp->as.project.tuple;
    check_exp(checker, tuple);
    if (tuple->type->kind != TAIL_TUPLE || exp->as.project.index >= tuple->type->count) {
        report(checker, exp->span, "Prj(%zu) of a value of type %s", exp->as.project.index,
               type_text(checker, tuple->type));
        return;
    }
    expect_type(checker, exp, tuple->type->items[exp->as.project.index]);
}

static void check_lambda(Checker *checker, const TailExp *exp)
{
    size_t count = exp->as.lambda.count, mark = checker->scope.count;
    if (count < 1 || count > 2) {
        report(checker, exp->span, "a function of %zu parameters", count);
        return;
    }
    const TailType *types[3];
    for (size_t i = 0; i < count; i++) {
        bind(checker, exp->as.lambda.parameters[i]);
        types[i] = exp->as.lambda.parameters[i]->type;
    }
    check_exp(checker, exp->as.lambda.body);
    leave_scope(checker, mark);
    types[count] = exp->as.lambda.body->type;
    expect_type(checker, exp, tail_function_type(checker->c, count + 1, types));
}

static bool instance_equal(const TailInstance *a, const TailInstance *b)
{
    if (a->base_count != b->base_count || a->rank_count != b->rank_count)
        return false;
    for (size_t i = 0; i < a->base_count; i++) {
        if (a->bases[i] != b->bases[i])
            return false;
    }
    for (size_t i = 0; i < a->rank_count; i++) {
        if (a->ranks[i] != b->ranks[i])
            return false;
    }
    return true;
}

/* The element type of zilde is in its instance list alone. */
static void check_zilde(Checker *checker, const TailExp *exp)
{
    const TailInstance *instance = &exp->as.call.instance;
    if (exp->as.call.count > 0 || instance->base_count != 1) {
        report(checker, exp->span,
               "zilde needs an instance list with one base type, and no arguments");
        return;
    }
    expect_type(checker, exp, tail_vector_type(checker->c, instance->bases[0], 0));
}

static void check_call(Checker *checker, const TailExp *exp)
{
    size_t errors = diagnostics_count(checker->c->diagnostics);
    for (size_t i = 0; i < exp->as.call.count; i++)
        check_exp(checker, exp->as.call.arguments[i]);
    if (exp->as.call.builtin == TAIL_OP_ZILDE) {
        check_zilde(checker, exp);
        return;
    }
    if (diagnostics_count(checker->c->diagnostics) > errors)
        return;
    TailInstance instance = {0};
    const char *problem = NULL;
    const TailType *type = tail_infer_call(checker->c, exp->as.call.builtin, exp->as.call.count,
                                           exp->as.call.arguments, &instance, &problem);
    if (!type) {
        report(checker, exp->span, "%s", problem);
        return;
    }
    expect_type(checker, exp, type);
    if (!instance_equal(&instance, &exp->as.call.instance)) {
        report(checker, exp->span, "the instance list of %s does not fit its arguments",
               tail_builtin_text(exp->as.call.builtin));
    }
}

static void check_apply(Checker *checker, const TailExp *exp)
{
    const TailVariable *function = exp->as.apply.function;
    size_t count = exp->as.apply.count;
    for (size_t i = 0; i < count; i++)
        check_exp(checker, exp->as.apply.arguments[i]);
    if (!is_in_scope(checker, function, exp->span))
        return;
    const TailType *type = function->type;
    if (type->kind != TAIL_FUNCTION || type->count != count + 1) {
        report(checker, exp->span, "v%u of type %s is called with %zu argument%s", function->number,
               type_text(checker, type), count, count == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const TailExp *argument = exp->as.apply.arguments[i];
        if (!tail_subtype(argument->type, type->items[i]))
            report(checker, argument->span, "argument %zu of v%u has type %s, but must have %s",
                   i + 1, function->number, type_text(checker, argument->type),
                   type_text(checker, type->items[i]));
    }
    expect_type(checker, exp, type->items[count]);
}

static void check_if(Checker *checker, const TailExp *exp)
{
    const TailExp *condition = exp->as.conditional.condition;
    const TailExp *then_case = exp->as.conditional.then_case;
    const TailExp *else_case = exp->as.conditional.else_case;
    check_exp(checker, condition);
    check_exp(checker, then_case);
    check_exp(checker, else_case);
    if (!tail_subtype(condition->type, tail_scalar_type(checker->c, TAIL_BOOL))) {
        report(checker, condition->span, "a condition of type %s",
               type_text(checker, condition->type));
    }
    const TailType *type = tail_join(checker->c, then_case->type, else_case->type);
    if (!type) {
        report(checker, exp->span, "if between values of types %s and %s",
               type_text(checker, then_case->type), type_text(checker, else_case->type));
        return;
    }
    expect_type(checker, exp, type);
}

static void check_literal(Checker *checker, const TailExp *exp, TailBaseKind base)
{
    expect_type(checker, exp, tail_scalar_type(checker->c, base));
}

static void check_kind(Checker *checker, const TailExp *exp)
{
    Compilation *c = checker->c;
    switch (exp->kind) {
    case TAIL_EXP_BOOL:
        expect_type(checker, exp, tail_single_type(c, TAIL_BOOL, exp->as.boolean));
        return;
    case TAIL_EXP_INT:
        expect_type(checker, exp, tail_single_type(c, TAIL_INT, exp->as.integer));
        return;
    case TAIL_EXP_DOUBLE: check_literal(checker, exp, TAIL_DOUBLE); return;
    case TAIL_EXP_CHAR: check_literal(checker, exp, TAIL_CHAR); return;
    case TAIL_EXP_COMPLEX: check_literal(checker, exp, TAIL_COMPLEX); return;
    case TAIL_EXP_VARIABLE: check_variable(checker, exp); return;
    case TAIL_EXP_VECTOR: check_vector(checker, exp); return;
    case TAIL_EXP_TUPLE: check_tuple(checker, exp); return;
    case TAIL_EXP_PROJECT: check_project(checker, exp); return;
    case TAIL_EXP_LAMBDA: check_lambda(checker, exp); return;
    case TAIL_EXP_LET: return; /* by check_exp */
    case TAIL_EXP_CALL: check_call(checker, exp); return;
    case TAIL_EXP_APPLY: check_apply(checker, exp); return;
    case TAIL_EXP_IF: check_if(checker, exp); return;
    }
}

/* A function of a let uses its parameters, and functions that are bound before it. */
static void check_function(Checker *checker, const TailVariable *variable, const TailExp *value)
{
    size_t outside = checker->closed;
    checker->closed = checker->scope.count;
    check_exp(checker, value);
    checker->closed = outside;
    if (!tail_type_equal(value->type, variable->type)) {
        report(checker, variable->span, "v%u has type %s, but its value has type %s",
               variable->number, type_text(checker, variable->type),
               type_text(checker, value->type));
    }
}

/* The type of a chain of lets is that of what follows them all. */
static void check_chain(Checker *checker, const TailExp *exp)
{
    const TailExp *last = exp;
    while (last->kind == TAIL_EXP_LET)
        last = last->as.let.body;
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        const TailVariable *variable = exp->as.let.variable;
        const TailExp *value = exp->as.let.value;
        if (value->kind == TAIL_EXP_LAMBDA) {
            check_function(checker, variable, value);
        } else {
            check_exp(checker, value);
        }
        if (value->kind != TAIL_EXP_LAMBDA && !tail_subtype(value->type, variable->type)) {
            report(checker, exp->span, "v%u has type %s, but its value has type %s",
                   variable->number, type_text(checker, variable->type),
                   type_text(checker, value->type));
        }
        bind(checker, variable);
        expect_type(checker, exp, last->type);
    }
    check_kind(checker, last);
}

static void check_exp(Checker *checker, const TailExp *exp)
{
    if (checker->depth >= NESTING_LIMIT) {
        if (!checker->too_deep) {
            diagnostics_add(checker->c->diagnostics, exp->span, "LIMIT ERROR",
                            "expressions are nested more than %d deep", NESTING_LIMIT);
        }
        checker->too_deep = true;
        checker->ok = false;
        return;
    }
    size_t mark = checker->scope.count;
    checker->depth++;
    check_chain(checker, exp);
    checker->depth--;
    leave_scope(checker, mark);
}

bool tail_check(Compilation *c, const TailExp *program)
{
    Checker checker = {.c = c, .ok = true};
    check_exp(&checker, program);
    if (program->type->kind == TAIL_FUNCTION)
        report(&checker, program->span, "a program that is a function");
    return checker.ok;
}
