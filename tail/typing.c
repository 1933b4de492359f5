/* Types for what the TAIL parser has read: raw expressions to typed TAIL.

       let v1 : <int>3 = ...   in          let v1 : <int>3 = ...   in
       reduce(addi,0,v1)            ==>    reduce{[int],[0]}(fn v2:[int]0 => fn v3:[int]0 =>
                                                                 addi(v2,v3),
                                                             0, v1)

   From the leaves upwards each call gets the type that its builtin's scheme gives; so missing
   instance lists are found, and those that are there are compared. A builtin's bare name becomes a
   function whose parameters are what the call wants: scalars of the base types that bases.c found
   or, under power, whatever the loop's state is. Shape variables ('r3) of annotations are what the
   value or the argument says. After an error the part is left out (NULL) and everything else goes
   on, so that each error is reported, and once. [TAIL] section 2. */
#include "tail/parse.h"
#include "tail/schemes.h"
#include "tail/instances.h"

#include <stdarg.h>

typedef struct Typer {
    Compilation *c;
    const Bases *bases;
    size_t functions;  /* of lets around */
    bool *shape_known; /* by the number of the type variable */
    int64_t *shapes;
} Typer;

static const TailExp *type_exp(Typer *t, RawExp *raw);

static void report(Typer *t, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void report(Typer *t, Span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(t->c->diagnostics, span, "TYPE ERROR", format, arguments);
    va_end(arguments);
}

static const char *type_text(Typer *t, const TailType *type)
{
    return tail_type_text(t->c, type);
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* What the shape variable of an annotation stands for, given a type that it has to fit. */
static bool learn_shape(Typer *t, const TailType *annotation, const TailType *given)
{
    unsigned variable = annotation->shape.variables[0];
    if (t->shape_known[variable])
        return true;
    if (!given || !tail_is_array(given))
        return false;
    switch (annotation->kind) {
    case TAIL_ARRAY: t->shapes[variable] = tail_rank(given); break;
    case TAIL_VECTOR:
        if (given->kind != TAIL_VECTOR && given->kind != TAIL_SINGLE_VECTOR)
            return false;
        t->shapes[variable] = given->kind == TAIL_VECTOR ? given->shape.constant : 1;
        break;
    case TAIL_SINGLE:
    case TAIL_SINGLE_VECTOR:
        if (given->kind != annotation->kind)
            return false;
        t->shapes[variable] = given->shape.constant;
        break;
    case TAIL_TUPLE:
    case TAIL_FUNCTION: return false;
    }
    t->shape_known[variable] = true;
    return true;
}

/* An annotation without its variables; NULL where a shape cannot be known. `given` may be NULL. */
static const TailType *resolve(Typer *t, const TailType *annotation, const TailType *given)
{
    if (tail_is_array(annotation)) {
        bool has_base = annotation->base.kind == TAIL_BASE_VARIABLE;
        bool has_shape = annotation->shape.variable_count > 0;
        if (!has_base && !has_shape)
            return annotation;
        if (has_shape && !learn_shape(t, annotation, given))
            return NULL;
        TailType *type = ARENA_NEW(t->c->arena, TailType);
        type->kind = annotation->kind;
        type->base.kind = has_base ? tail_inferred_variable(t->bases, annotation->base.variable)
                                   : annotation->base.kind;
        type->shape.constant =
            has_shape ? t->shapes[annotation->shape.variables[0]] : annotation->shape.constant;
        return type;
    }
    bool fits = given && given->kind == annotation->kind && given->count == annotation->count;
    const TailType **items = ARENA_ARRAY(t->c->arena, const TailType *, annotation->count);
    for (size_t i = 0; i < annotation->count; i++) {
        items[i] = resolve(t, annotation->items[i], fits ? given->items[i] : NULL);
        if (!items[i])
            return NULL;
    }
    return annotation->kind == TAIL_TUPLE ? tail_tuple_type(t->c, annotation->count, items)
                                          : tail_function_type(t->c, annotation->count, items);
}

static bool holds_function(const TailType *type)
{
    for (size_t i = 0; type->kind == TAIL_TUPLE && i < type->count; i++) {
        if (holds_function(type->items[i]))
            return true;
    }
    return type->kind == TAIL_FUNCTION;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* v12 is called v, as the printer says it; other names are kept for what is made of the program. */
static const char *plain_name(Typer *t, const RawVariable *raw)
{
    if (!raw->has_number)
        return raw->lexeme;
    return intern(t->c, *raw->lexeme == 'm' ? "mv" : "v");
}

static void make_variable(Typer *t, RawVariable *raw, const TailType *type)
{
    unsigned last = t->c->last_number;
    raw->variable = tail_variable(t->c, plain_name(t, raw), type, raw->span);
    if (raw->has_number) {
        t->c->last_number = last;
        raw->variable->number = raw->number;
    }
}

/* Gives the variable its type; false, and a report, where that cannot be. */
static bool declare(Typer *t, RawVariable *raw, const TailType *given)
{
    raw->functions = t->functions;
    const TailType *type = resolve(t, raw->annotation, given);
    if (!type) {
        report(t, raw->span, "the type of %s cannot be inferred", raw->lexeme);
        return false;
    }
    if (holds_function(type)) {
        report(t, raw->span,
               "%s cannot be a function: functions are arguments of builtins, or values of lets",
               raw->lexeme);
        return false;
    }
    make_variable(t, raw, type);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* That a let binds. */
static bool is_bound_function(const RawExp *raw)
{
    return raw->kind == RAW_VARIABLE && raw->as.variable->variable &&
           raw->as.variable->variable->type->kind == TAIL_FUNCTION;
}

static bool is_function(const RawExp *raw)
{
    return raw->kind == RAW_LAMBDA || raw->kind == RAW_OPERATOR || is_bound_function(raw);
}

enum { MOST_PARAMETERS = 2 };

/* fn x:T => fn y:T => e. `wanted` are the parameters' types as far as the call knows them. */
static const TailExp *type_lambda(Typer *t, RawExp *raw, size_t count,
                                  const TailType *const *wanted)
{
    TailVariable *parameters[MOST_PARAMETERS];
    size_t parameter_count = 0;
    bool ok = true;
    RawExp *body = raw;
    for (; body->kind == RAW_LAMBDA; body = body->as.lambda.body) {
        RawVariable *parameter = body->as.lambda.parameter;
        ok &= declare(t, parameter, parameter_count < count ? wanted[parameter_count] : NULL);
        if (parameter_count < MOST_PARAMETERS)
            parameters[parameter_count] = parameter->variable;
        parameter_count++;
    }
    if (parameter_count > MOST_PARAMETERS) {
        report(t, raw->span, "a function of %zu parameters: builtins take functions of one or two",
               parameter_count);
        ok = false;
    }
    const TailExp *typed = type_exp(t, body);
    if (!typed || !ok)
        return NULL;
    return tail_lambda(t->c, parameter_count, parameters, typed, raw->span);
}

/* f, as fn x:T => fn y:T => f(x,y). */
static const TailExp *type_bound_function(Typer *t, const RawExp *raw)
{
    TailVariable *function = raw->as.variable->variable;
    TailVariable *parameters[MOST_PARAMETERS];
    const TailExp *uses[MOST_PARAMETERS];
    size_t count = function->type->count - 1;
    for (size_t i = 0; i < count; i++) {
        parameters[i] = tail_variable(t->c, "x", function->type->items[i], raw->span);
        uses[i] = tail_use(t->c, parameters[i], raw->span);
    }
    return tail_lambda(t->c, count, parameters, tail_apply(t->c, function, count, uses, raw->span),
                       raw->span);
}

/* op, as fn x:T => fn y:T => op(x,y). */
static const TailExp *apply_operator(Typer *t, const RawExp *raw, size_t count,
                                     const TailType *const *types)
{
    TailVariable *parameters[MOST_PARAMETERS];
    const TailExp *uses[MOST_PARAMETERS];
    TailInstance instance;
    const char *problem;
    for (size_t i = 0; i < count; i++) {
        parameters[i] = tail_variable(t->c, "x", types[i], raw->span);
        uses[i] = tail_use(t->c, parameters[i], raw->span);
    }
    TailBuiltin builtin = raw->as.call.builtin;
    const TailType *type = tail_infer_call(t->c, builtin, count, uses, &instance, &problem);
    if (!type) {
        size_t misfit;
        const char *why = tail_explain_call(t->c, builtin, count, types, &misfit);
        report(t, raw->span, "%s", why ? why : problem);
        return NULL;
    }
    const TailExp *body = tail_typed_call(t->c, builtin, count, uses, type, instance, raw->span);
    return tail_lambda(t->c, count, parameters, body, raw->span);
}

/* An operator whose parameters are wanted to have these types. NULL stands for a scalar of the base
   type that unification found. A loop's state is joined with the operator's result until that fits.
 */
static const TailExp *type_operator(Typer *t, const RawExp *raw, size_t count,
                                    const TailType *const *wanted)
{
    const TailType *types[MOST_PARAMETERS];
    const Scheme *scheme = tail_general_scheme(t->c, raw->as.call.builtin);
    if (count + 1 != (size_t)scheme->count) {
        report(t, raw->span, "%s is a function of %d argument%s, but one of %zu is wanted",
               tail_builtin_text(raw->as.call.builtin), scheme->count - 1,
               scheme->count == 2 ? "" : "s", count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        Skeleton *parameter = tail_inferred_parameter(raw->as.call.skeleton, i);
        types[i] = wanted[i] ? wanted[i] : tail_scalar_type(t->c, tail_inferred_base(parameter));
    }
    const TailExp *lambda = apply_operator(t, raw, count, types);
    while (lambda && count == 1 && wanted[0]) {
        const TailType *result = lambda->as.lambda.body->type;
        const TailType *joined = tail_join(t->c, types[0], result);
        if (!joined || tail_subtype(result, types[0]))
            break; /* what does not join is for the call to report */
        types[0] = joined;
        lambda = apply_operator(t, raw, count, types);
    }
    return lambda;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct CallTypes {
    size_t count;
    const TailExp **arguments;
    bool ok;
} CallTypes;

/* The type of the argument that is `t` in the scheme: the state of power and bench. What a scalar
   is known to be before the loop is not known in it. */
static const TailType *state_type(Typer *t, const Scheme *scheme, const CallTypes *call)
{
    for (size_t i = 0; i + 1 < (size_t)scheme->count && i < call->count; i++) {
        const SchemeItem *item = &scheme->items[i];
        const TailType *type = call->arguments[i] ? call->arguments[i]->type : NULL;
        if (!type || item->function || !item->patterns[0].whole)
            continue;
        return type->kind == TAIL_SINGLE ? tail_scalar_type(t->c, type->base.kind) : type;
    }
    return NULL;
}

static const TailExp *type_function(Typer *t, RawExp *raw, const SchemeItem *item,
                                    const TailType *state)
{
    const TailType *wanted[SCHEME_PATTERNS] = {0};
    size_t count = (size_t)item->count - 1;
    for (size_t i = 0; i < count; i++)
        wanted[i] = item->patterns[i].whole ? state : NULL;
    if (is_bound_function(raw))
        return type_bound_function(t, raw);
    if (raw->kind == RAW_OPERATOR) {
        if (item->patterns[0].whole && !state)
            return NULL; /* the state is wrong: reported */
        return type_operator(t, raw, count, wanted);
    }
    for (size_t i = 0; i < count; i++) {
        bool is_scalar = !item->patterns[i].whole && !wanted[i];
        if (is_scalar)
            wanted[i] = tail_scalar_type(t->c, TAIL_INT); /* its rank is what counts */
    }
    return type_lambda(t, raw, count, wanted);
}

/* Arguments other than functions first: they say what the state of a loop is. */
static void type_arguments(Typer *t, RawExp *raw, const Scheme *scheme, CallTypes *call)
{
    const RawList *arguments = &raw->as.call.arguments;
    const char *name = tail_builtin_text(raw->as.call.builtin);
    for (size_t i = 0; i < arguments->count; i++) {
        RawExp *argument = arguments->items[i];
        bool wants_function = i + 1 < (size_t)scheme->count && scheme->items[i].function;
        if (!is_function(argument)) {
            call->arguments[i] = type_exp(t, argument);
            call->ok &= call->arguments[i] != NULL;
        } else if (!wants_function) {
            report(t, argument->span, "argument %zu of %s is a function, but must be a value",
                   i + 1, name);
            call->ok = false;
        }
    }
    for (size_t i = 0; i < arguments->count; i++) {
        bool wants_function = i + 1 < (size_t)scheme->count && scheme->items[i].function;
        if (!wants_function || !is_function(arguments->items[i]))
            continue;
        const TailType *state = state_type(t, scheme, call);
        call->arguments[i] = type_function(t, arguments->items[i], &scheme->items[i], state);
        call->ok &= call->arguments[i] != NULL;
    }
}

/* transp2 needs its axes as a literal; old files may bind that to a variable first. */
static void find_axes(const RawExp *raw, CallTypes *call)
{
    const RawExp *axes = call->count > 0 ? raw->as.call.arguments.items[0] : NULL;
    if (raw->as.call.builtin != TAIL_OP_TRANSP2 || axes->kind != RAW_VARIABLE)
        return;
    call->ok = !axes->as.variable->failed;
    if (axes->as.variable->literal && call->arguments[0]->type->kind == TAIL_VECTOR)
        call->arguments[0] = axes->as.variable->literal;
}

/* ---- instance lists -------------------------------------------------------------------------- */

static const char *instance_text(Typer *t, const TailInstance *instance)
{
    Text text = text_create(t->c->arena);
    text_string(&text, "{[");
    for (size_t i = 0; i < instance->base_count; i++)
        text_printf(&text, "%s%s", i > 0 ? "," : "", tail_base_text(instance->bases[i]));
    text_string(&text, "],[");
    for (size_t i = 0; i < instance->rank_count; i++)
        text_printf(&text, "%s%lld", i > 0 ? "," : "", (long long)instance->ranks[i]);
    text_string(&text, "]}");
    return text_get(&text);
}

/* What is a variable in the list as written agrees with anything. */
static bool instance_agrees(const TailInstance *given, const TailInstance *found)
{
    if (given->base_count != found->base_count || given->rank_count != found->rank_count)
        return false;
    for (size_t i = 0; i < given->base_count; i++) {
        if (given->bases[i] != TAIL_BASE_VARIABLE && given->bases[i] != found->bases[i])
            return false;
    }
    for (size_t i = 0; i < given->rank_count; i++) {
        if (given->ranks[i] != RAW_UNKNOWN && given->ranks[i] != found->ranks[i])
            return false;
    }
    return true;
}

/* A sized vector's call may also say what that of any vector says: rotate{[int],[1]}. */
static bool agrees_unsized(Typer *t, const RawExp *raw, const CallTypes *call,
                           const TailType *result)
{
    TailInstance instance;
    if (result->kind == TAIL_FUNCTION || !tail_is_array(result))
        return false;
    const TailType *plain = tail_array_type(t->c, result->base.kind, tail_rank(result));
    tail_find_instance(t->c, raw->as.call.builtin, call->arguments, plain, &instance);
    return instance_agrees(&raw->as.call.instance, &instance);
}

static void check_instance(Typer *t, const RawExp *raw, const CallTypes *call,
                           const TailInstance *found, const TailType *result)
{
    const TailInstance *given = &raw->as.call.instance;
    const char *name = tail_builtin_text(raw->as.call.builtin);
    if (!raw->as.call.has_instance || instance_agrees(given, found) ||
        agrees_unsized(t, raw, call, result))
        return;
    if (found->base_count == 0 && found->rank_count == 0) {
        if (given->base_count + given->rank_count > 0)
            report(t, raw->as.call.instance_span, "%s has no instance list", name);
        return;
    }
    report(t, raw->as.call.instance_span, "the instance list of %s is %s, but its arguments say %s",
           name, instance_text(t, given), instance_text(t, found));
}

/* The element type of zilde is in its instance list, or what its use says. */
static const TailExp *type_zilde(Typer *t, const RawExp *raw)
{
    const TailInstance *given = &raw->as.call.instance;
    if (raw->as.call.arguments.count > 0) {
        report(t, raw->span, "zilde takes 0 arguments, but here %s %zu",
               raw->as.call.arguments.count == 1 ? "is" : "are", raw->as.call.arguments.count);
        return NULL;
    }
    if (raw->as.call.has_instance &&
        (given->base_count != 1 || given->rank_count > 1 ||
         (given->rank_count == 1 && given->ranks[0] != 1 && given->ranks[0] != RAW_UNKNOWN))) {
        report(t, raw->as.call.instance_span,
               "the instance list of zilde is %s, but must be one base type and the rank 1",
               instance_text(t, given));
        return NULL;
    }
    return tail_zilde(t->c, tail_inferred_base(raw->as.call.skeleton), raw->span);
}

static void report_misfit(Typer *t, const RawExp *raw, const CallTypes *call, const char *problem)
{
    const TailType **types = ARENA_ARRAY(t->c->arena, const TailType *, call->count + 1);
    size_t misfit = 0;
    for (size_t i = 0; i < call->count; i++)
        types[i] = call->arguments[i]->type;
    const char *why = tail_explain_call(t->c, raw->as.call.builtin, call->count, types, &misfit);
    Span span = why ? raw->as.call.arguments.items[misfit]->span : raw->span;
    report(t, span, "%s", why ? why : problem);
}

static const TailExp *type_call(Typer *t, RawExp *raw)
{
    TailBuiltin builtin = raw->as.call.builtin;
    TailInstance instance;
    const char *problem = NULL;
    size_t count = raw->as.call.arguments.count;
    CallTypes call = {count, ARENA_ARRAY(t->c->arena, const TailExp *, count + 1), true};
    if (builtin == TAIL_OP_ZILDE)
        return type_zilde(t, raw);
    const Scheme *scheme = tail_general_scheme(t->c, builtin);
    type_arguments(t, raw, scheme, &call);
    if (count + 1 != (size_t)scheme->count) {
        tail_infer_call(t->c, builtin, count, call.arguments, &instance, &problem);
        report(t, raw->span, "%s", problem);
        return NULL;
    }
    if (!call.ok)
        return NULL;
    find_axes(raw, &call);
    if (!call.ok)
        return NULL;
    const TailType *type =
        tail_infer_call(t->c, builtin, count, call.arguments, &instance, &problem);
    if (!type) {
        report_misfit(t, raw, &call, problem);
        return NULL;
    }
    check_instance(t, raw, &call, &instance, type);
    return tail_typed_call(t->c, builtin, count, call.arguments, type, instance, raw->span);
}

/* ---- vectors, tuples, control ---------------------------------------------------------------- */

/* All items, or NULL. */
static const TailExp **type_items(Typer *t, const RawExp *raw)
{
    const RawList *items = &raw->as.items;
    const TailExp **typed = ARENA_ARRAY(t->c->arena, const TailExp *, items->count + 1);
    bool ok = raw->kind != RAW_BAD;
    for (size_t i = 0; i < items->count; i++) {
        bool is_skipped = raw->kind == RAW_BAD && is_function(items->items[i]);
        typed[i] = is_skipped ? NULL : type_exp(t, items->items[i]);
        ok &= typed[i] != NULL;
    }
    return ok ? typed : NULL;
}

static const TailExp *type_vector(Typer *t, const RawExp *raw)
{
    const TailExp **items = type_items(t, raw);
    bool ok = items != NULL;
    for (size_t i = 0; items && i < raw->as.items.count; i++) {
        const TailType *type = items[i]->type;
        if (!tail_is_array(type) || tail_rank(type) != 0) {
            report(t, items[i]->span, "an item of a vector literal is a scalar; this has type %s",
                   type_text(t, type));
            ok = false;
        } else if (ok && type->base.kind != items[0]->type->base.kind) {
            report(t, items[i]->span, "an item of type %s in a vector literal of %s",
                   type_text(t, type), tail_base_text(items[0]->type->base.kind));
            ok = false;
        }
    }
    return ok ? tail_vector(t->c, raw->as.items.count, items, raw->span) : NULL;
}

static const TailExp *type_tuple(Typer *t, const RawExp *raw)
{
    const TailExp **items = type_items(t, raw);
    return items ? tail_tuple(t->c, raw->as.items.count, items, raw->span) : NULL;
}

static const TailExp *type_project(Typer *t, const RawExp *raw)
{
    const TailExp *tuple = type_exp(t, raw->as.project.tuple);
    int64_t index = raw->as.project.index;
    if (!tuple)
        return NULL;
    if (tuple->type->kind != TAIL_TUPLE || index < 0 || (uint64_t)index >= tuple->type->count) {
        report(t, raw->span, "Prj(%lld,..) of a value of type %s", (long long)index,
               type_text(t, tuple->type));
        return NULL;
    }
    return tail_project(t->c, (size_t)index, tuple, raw->span);
}

static const TailExp *type_if(Typer *t, const RawExp *raw)
{
    const TailExp *condition = type_exp(t, raw->as.conditional.condition);
    const TailExp *then_case = type_exp(t, raw->as.conditional.then_case);
    const TailExp *else_case = type_exp(t, raw->as.conditional.else_case);
    if (condition && !tail_subtype(condition->type, tail_scalar_type(t->c, TAIL_BOOL))) {
        report(t, condition->span, "a condition has type [bool]0; this has type %s",
               type_text(t, condition->type));
        return NULL;
    }
    if (!condition || !then_case || !else_case)
        return NULL;
    if (!tail_join(t->c, then_case->type, else_case->type)) {
        report(t, raw->span, "the branches of an if have types %s and %s, which do not agree",
               type_text(t, then_case->type), type_text(t, else_case->type));
        return NULL;
    }
    return tail_if(t->c, condition, then_case, else_case, raw->span);
}

/* ---- lets ------------------------------------------------------------------------------------ */

static bool is_literal_vector(const TailExp *exp)
{
    if (exp->kind != TAIL_EXP_VECTOR)
        return false;
    for (size_t i = 0; i < exp->as.items.count; i++) {
        if (exp->as.items.items[i]->kind != TAIL_EXP_INT)
            return false;
    }
    return true;
}

static bool takes_or_gives_function(const TailType *type)
{
    for (size_t i = 0; i < type->count; i++) {
        if (holds_function(type->items[i]))
            return true;
    }
    return false;
}

/* let f : (int)->int = fn x : int => ...: the body may use x, and functions that are bound before. */
static const TailExp *type_function_let(Typer *t, const RawLet *let)
{
    RawVariable *variable = let->variable;
    const TailType *annotation = variable->annotation;
    const TailExp *value = NULL;
    variable->functions = t->functions++;
    const bool is_function = annotation && annotation->kind == TAIL_FUNCTION;
    const size_t count = is_function ? annotation->count - 1 : 0;
    if (annotation && !is_function) {
        report(t, variable->span, "%s is given the type %s, but its value is a function",
               variable->lexeme, type_text(t, annotation));
    } else if (is_function && takes_or_gives_function(annotation)) {
        report(t, variable->span, "a function takes and gives values, not functions");
    } else if (is_function && let->value->kind == RAW_OPERATOR && count <= MOST_PARAMETERS) {
        const TailType *wanted[MOST_PARAMETERS] = {0};
        for (size_t i = 0; i < count; i++)
            wanted[i] = resolve(t, annotation->items[i], NULL);
        value = type_operator(t, let->value, count, wanted);
    } else if (is_bound_function(let->value)) {
        value = type_bound_function(t, let->value);
    } else if (let->value->kind == RAW_LAMBDA) {
        value = type_lambda(t, let->value, count, is_function ? annotation->items : NULL);
    }
    t->functions--;
    const TailType *type = value && annotation ? resolve(t, annotation, value->type) : NULL;
    if (!value || !annotation)
        return NULL;
    if (!type || !tail_type_equal(type, value->type)) {
        report(t, variable->span, "%s is given the type %s, but its value has type %s",
               variable->lexeme, type_text(t, type ? type : annotation), type_text(t, value->type));
        return NULL;
    }
    make_variable(t, variable, type);
    return value;
}

/* The value of a let; NULL after an error. The variable is declared all the same, if it can be. */
static const TailExp *type_let(Typer *t, const RawLet *let)
{
    RawVariable *variable = let->variable;
    if (let->value && is_function(let->value)) {
        const TailExp *function = type_function_let(t, let);
        variable->failed = !function;
        return function;
    }
    const TailExp *value = let->value ? type_exp(t, let->value) : NULL;
    variable->failed = !value;
    if (!variable->annotation || (!value && !resolve(t, variable->annotation, NULL)))
        return NULL;
    if (!declare(t, variable, value ? value->type : NULL) || !value)
        return NULL;
    if (!tail_subtype(value->type, variable->variable->type)) {
        report(t, variable->span, "%s is given the type %s, but its value has type %s",
               variable->lexeme, type_text(t, variable->variable->type), type_text(t, value->type));
        return NULL;
    }
    if (is_literal_vector(value))
        variable->literal = value;
    return value;
}

/* Types along the chain, then the lets from the last to the first. */
static const TailExp *type_chain(Typer *t, const RawExp *raw)
{
    size_t count = raw->as.chain.lets.count;
    const TailExp **values = ARENA_ARRAY(t->c->arena, const TailExp *, count + 1);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = type_let(t, &raw->as.chain.lets.items[i]);
        ok &= values[i] != NULL;
    }
    const TailExp *exp = type_exp(t, raw->as.chain.body);
    if (!exp || !ok)
        return NULL;
    for (size_t i = count; i-- > 0;) {
        const RawVariable *variable = raw->as.chain.lets.items[i].variable;
        exp = tail_let(t->c, variable->variable, values[i], exp, variable->span);
    }
    return exp;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const TailExp *type_variable(Typer *t, const RawExp *raw)
{
    const RawVariable *variable = raw->as.variable;
    if (!variable->variable)
        return NULL;
    if (variable->variable->type->kind == TAIL_FUNCTION) {
        report(t, raw->span, "%s is a function: it can be called, or be an argument of a builtin",
               variable->lexeme);
        return NULL;
    }
    if (variable->functions < t->functions) {
        report(t, raw->span,
               "%s is bound outside of the function that uses it: a function of a let has what it "
               "uses as parameters",
               variable->lexeme);
        return NULL;
    }
    return tail_use(t->c, variable->variable, raw->span);
}

static const TailExp *type_apply(Typer *t, const RawExp *raw)
{
    const RawList *arguments = &raw->as.apply.arguments;
    const RawVariable *variable = raw->as.apply.function;
    const TailExp **typed = ARENA_ARRAY(t->c->arena, const TailExp *, arguments->count + 1);
    bool ok = variable->variable != NULL;
    for (size_t i = 0; i < arguments->count; i++) {
        typed[i] = type_exp(t, arguments->items[i]);
        ok &= typed[i] != NULL;
    }
    if (!ok)
        return NULL;
    const TailType *type = variable->variable->type;
    if (type->kind != TAIL_FUNCTION) {
        report(t, raw->span, "%s has type %s: only builtins and functions are called",
               variable->lexeme, type_text(t, type));
        return NULL;
    }
    if (type->count != arguments->count + 1) {
        report(t, raw->span, "%s takes %zu argument%s, but here %s %zu", variable->lexeme,
               type->count - 1, type->count == 2 ? "" : "s", arguments->count == 1 ? "is" : "are",
               arguments->count);
        return NULL;
    }
    for (size_t i = 0; i < arguments->count; i++) {
        if (!tail_subtype(typed[i]->type, type->items[i])) {
            report(t, arguments->items[i]->span,
                   "argument %zu of %s has type %s, but must have type %s", i + 1, variable->lexeme,
                   type_text(t, typed[i]->type), type_text(t, type->items[i]));
            ok = false;
        }
    }
    return ok ? tail_apply(t->c, variable->variable, arguments->count, typed, raw->span) : NULL;
}

static const TailExp *type_exp(Typer *t, RawExp *raw)
{
    switch (raw->kind) {
    case RAW_BAD: type_items(t, raw); return NULL;
    case RAW_VALUE: return raw->as.value;
    case RAW_VARIABLE: return type_variable(t, raw);
    case RAW_APPLY: return type_apply(t, raw);
    case RAW_OPERATOR:
        report(
            t, raw->span,
            "%s stands for a function here, but only arguments of builtins and values of lets are "
            "functions",
            tail_builtin_text(raw->as.call.builtin));
        return NULL;
    case RAW_LAMBDA:
        report(t, raw->span, "only arguments of builtins and values of lets are functions");
        return NULL;
    case RAW_VECTOR: return type_vector(t, raw);
    case RAW_TUPLE: return type_tuple(t, raw);
    case RAW_PROJECT: return type_project(t, raw);
    case RAW_LETS: return type_chain(t, raw);
    case RAW_CALL: return type_call(t, raw);
    case RAW_IF: return type_if(t, raw);
    }
    return NULL;
}

const TailExp *tail_type_program(TailParser *p, const Bases *bases, RawExp *program)
{
    Typer t = {.c = p->c, .bases = bases};
    t.shape_known = ARENA_ARRAY(p->c->arena, bool, p->type_variable_count + 1);
    t.shapes = ARENA_ARRAY(p->c->arena, int64_t, p->type_variable_count + 1);
    return type_exp(&t, program);
}
