/* Constructors of TAIL expressions.

   Each computes the type of what it builds and insists on the invariants that tail_check states
   once more for people: a constructor that is given parts which do not fit is a fault of the
   compiler (internal_error), never of the APL program. */
#include "tail/instances.h"

static TailExp *make(Compilation *c, TailExpKind kind, const TailType *type, Span span)
{
    TailExp *exp = ARENA_NEW(c->arena, TailExp);
    exp->kind = kind;
    exp->type = type;
    exp->span = span;
    return exp;
}

TailVariable *tail_variable(Compilation *c, const char *name, const TailType *type, Span span)
{
    TailVariable *variable = ARENA_NEW(c->arena, TailVariable);
    variable->name = name ? name : "v";
    variable->number = fresh_number(c);
    variable->type = type;
    variable->span = span;
    return variable;
}

/* ---- values ------------------------------------------------------------------------------ */

const TailExp *tail_bool(Compilation *c, bool value, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_BOOL, tail_single_type(c, TAIL_BOOL, value), span);
    exp->as.boolean = value;
    return exp;
}

const TailExp *tail_int(Compilation *c, int64_t value, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_INT, tail_single_type(c, TAIL_INT, value), span);
    exp->as.integer = value;
    return exp;
}

const TailExp *tail_double(Compilation *c, double value, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_DOUBLE, tail_scalar_type(c, TAIL_DOUBLE), span);
    exp->as.real = value;
    return exp;
}

const TailExp *tail_char(Compilation *c, uint32_t codepoint, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_CHAR, tail_scalar_type(c, TAIL_CHAR), span);
    exp->as.character = codepoint;
    return exp;
}

const TailExp *tail_complex(Compilation *c, double real, double imaginary, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_COMPLEX, tail_scalar_type(c, TAIL_COMPLEX), span);
    exp->as.complex.real = real;
    exp->as.complex.imaginary = imaginary;
    return exp;
}

const TailExp *tail_use(Compilation *c, TailVariable *variable, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_VARIABLE, variable->type, span);
    exp->as.variable = variable;
    return exp;
}

/* ---- vectors, tuples ----------------------------------------------------------------------- */

/* <b>n for int and bool, SV(b,k) for one item of known value, [b]1 for the rest. */
static const TailType *vector_type(Compilation *c, size_t count, const TailExp *const *items)
{
    const TailType *first = items[0]->type;
    TailBaseKind base = first->base.kind;
    if (base != TAIL_INT && base != TAIL_BOOL)
        return tail_array_type(c, base, 1);
    if (count == 1 && first->kind == TAIL_SINGLE) {
        return tail_single_vector_type(c, base, first->shape.constant);
    }
    return tail_vector_type(c, base, (int64_t)count);
}

static const TailExp *make_items(Compilation *c, TailExpKind kind, const TailType *type,
                                 size_t count, const TailExp *const *items, Span span)
{
    TailExp *exp = make(c, kind, type, span);
    exp->as.items.count = count;
    exp->as.items.items = arena_copy(c->arena, items, count * sizeof(const TailExp *));
    return exp;
}

const TailExp *tail_vector(Compilation *c, size_t count, const TailExp *const *items, Span span)
{
    if (count == 0)
        internal_error(c, "a vector literal without items: zilde is wanted");
    for (size_t i = 0; i < count; i++) {
        const TailType *type = items[i]->type;
        if (!tail_is_array(type) || tail_rank(type) != 0) {
            internal_error(c, "an item of a vector literal has type %s", tail_type_text(c, type));
        }
        if (type->base.kind != items[0]->type->base.kind) {
            internal_error(c, "a vector literal of %s and %s",
                           tail_base_text(items[0]->type->base.kind),
                           tail_base_text(type->base.kind));
        }
    }
    return make_items(c, TAIL_EXP_VECTOR, vector_type(c, count, items), count, items, span);
}

const TailExp *tail_tuple(Compilation *c, size_t count, const TailExp *const *items, Span span)
{
    const TailType **types = ARENA_ARRAY(c->arena, const TailType *, count + 1);
    for (size_t i = 0; i < count; i++) {
        types[i] = items[i]->type;
        if (types[i]->kind == TAIL_FUNCTION)
            internal_error(c, "a function in a tuple");
    }
    return make_items(c, TAIL_EXP_TUPLE, tail_tuple_type(c, count, types), count, items, span);
}

const TailExp *tail_project(Compilation *c, size_t index, const TailExp *tuple, Span span)
{
    if (tuple->type->kind != TAIL_TUPLE || index >= tuple->type->count) {
        internal_error(c, "Prj(%zu) of a value of type %s", index, tail_type_text(c, tuple->type));
    }
    TailExp *exp = make(c, TAIL_EXP_PROJECT, tuple->type->items[index], span);
    exp->as.project.index = index;
    exp->as.project.tuple = tuple;
    return exp;
}

/* ---- binding and control ------------------------------------------------------------------- */

const TailExp *tail_lambda(Compilation *c, size_t count, TailVariable *const *parameters,
                           const TailExp *body, Span span)
{
    if (count < 1 || count > 2)
        internal_error(c, "a function of %zu parameters", count);
    if (body->type->kind == TAIL_FUNCTION)
        internal_error(c, "a function that gives a function");
    const TailType *types[3];
    for (size_t i = 0; i < count; i++)
        types[i] = parameters[i]->type;
    types[count] = body->type;
    TailExp *exp = make(c, TAIL_EXP_LAMBDA, tail_function_type(c, count + 1, types), span);
    exp->as.lambda.count = count;
    exp->as.lambda.parameters = arena_copy(c->arena, parameters, count * sizeof *parameters);
    exp->as.lambda.body = body;
    return exp;
}

const TailExp *tail_let(Compilation *c, TailVariable *variable, const TailExp *value,
                        const TailExp *body, Span span)
{
    const bool is_function = value->kind == TAIL_EXP_LAMBDA;
    if (is_function ? !tail_type_equal(value->type, variable->type)
                    : !tail_subtype(value->type, variable->type)) {
        internal_error(c, "%s_%u of type %s is bound to a value of type %s", variable->name,
                       variable->number, tail_type_text(c, variable->type),
                       tail_type_text(c, value->type));
    }
    TailExp *exp = make(c, TAIL_EXP_LET, body->type, span);
    exp->as.let.variable = variable;
    exp->as.let.value = value;
    exp->as.let.body = body;
    return exp;
}

const TailExp *tail_if(Compilation *c, const TailExp *condition, const TailExp *then_case,
                       const TailExp *else_case, Span span)
{
    const TailType *boolean = tail_scalar_type(c, TAIL_BOOL);
    if (!tail_subtype(condition->type, boolean)) {
        internal_error(c, "a condition of type %s", tail_type_text(c, condition->type));
    }
    const TailType *type = tail_join(c, then_case->type, else_case->type);
    if (!type || type->kind == TAIL_FUNCTION) {
        internal_error(c, "if between values of types %s and %s",
                       tail_type_text(c, then_case->type), tail_type_text(c, else_case->type));
    }
    TailExp *exp = make(c, TAIL_EXP_IF, type, span);
    exp->as.conditional.condition = condition;
    exp->as.conditional.then_case = then_case;
    exp->as.conditional.else_case = else_case;
    return exp;
}

/* ---- calls --------------------------------------------------------------------------------- */

const TailExp *tail_call(Compilation *c, TailBuiltin builtin, size_t count,
                         const TailExp *const *arguments, Span span)
{
    TailInstance instance = {0};
    const char *problem = NULL;
    const TailType *type = tail_infer_call(c, builtin, count, arguments, &instance, &problem);
    if (!type)
        internal_error(c, "a call that does not fit: %s", problem);
    return tail_typed_call(c, builtin, count, arguments, type, instance, span);
}

const TailExp *tail_typed_call(Compilation *c, TailBuiltin builtin, size_t count,
                               const TailExp *const *arguments, const TailType *type,
                               TailInstance instance, Span span)
{
    TailExp *exp = make(c, TAIL_EXP_CALL, type, span);
    exp->as.call.builtin = builtin;
    exp->as.call.count = count;
    if (count > 0) {
        exp->as.call.arguments = arena_copy(c->arena, arguments, count * sizeof(const TailExp *));
    }
    exp->as.call.instance = instance;
    return exp;
}

const TailExp *tail_zilde(Compilation *c, TailBaseKind base, Span span)
{
    static const int64_t RANK = 1;
    TailExp *exp = make(c, TAIL_EXP_CALL, tail_vector_type(c, base, 0), span);
    exp->as.call.builtin = TAIL_OP_ZILDE;
    exp->as.call.instance.base_count = 1;
    exp->as.call.instance.bases = arena_copy(c->arena, &base, sizeof base);
    exp->as.call.instance.rank_count = 1;
    exp->as.call.instance.ranks = &RANK;
    return exp;
}

const TailExp *tail_apply(Compilation *c, TailVariable *function, size_t count,
                          const TailExp *const *arguments, Span span)
{
    const TailType *type = function->type;
    if (type->kind != TAIL_FUNCTION || type->count != count + 1) {
        internal_error(c, "%zu arguments for v%u of type %s", count, function->number,
                       tail_type_text(c, type));
    }
    TailExp *exp = make(c, TAIL_EXP_APPLY, type->items[count], span);
    exp->as.apply.function = function;
    exp->as.apply.count = count;
    exp->as.apply.arguments = arena_copy(c->arena, arguments, count * sizeof *arguments);
    return exp;
}

/* ---- walking ------------------------------------------------------------------------------- */

void tail_each_part(const TailExp *exp, void (*visit)(void *context, const TailExp *part),
                    void *context)
{
    size_t count = 0;
    const TailExp *const *items = NULL;
    switch (exp->kind) {
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_COMPLEX:
    case TAIL_EXP_VARIABLE: return;
    case TAIL_EXP_VECTOR:
    case TAIL_EXP_TUPLE:
        count = exp->as.items.count;
        items = exp->as.items.items;
        break;
    case TAIL_EXP_PROJECT: visit(context, exp->as.project.tuple); return;
    case TAIL_EXP_LAMBDA: visit(context, exp->as.lambda.body); return;
    case TAIL_EXP_LET:
        visit(context, exp->as.let.value);
        visit(context, exp->as.let.body);
        return;
    case TAIL_EXP_CALL:
        count = exp->as.call.count;
        items = exp->as.call.arguments;
        break;
    case TAIL_EXP_APPLY:
        count = exp->as.apply.count;
        items = exp->as.apply.arguments;
        break;
    case TAIL_EXP_IF:
        visit(context, exp->as.conditional.condition);
        visit(context, exp->as.conditional.then_case);
        visit(context, exp->as.conditional.else_case);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        visit(context, items[i]);
    }
}

static void count_part(void *context, const TailExp *part)
{
    *(size_t *)context += tail_count(part);
}

/* Along let chains by a loop. */
size_t tail_count(const TailExp *program)
{
    size_t count = 1;
    for (; program->kind == TAIL_EXP_LET; program = program->as.let.body) {
        count += 1 + tail_count(program->as.let.value);
    }
    tail_each_part(program, count_part, &count);
    return count;
}
