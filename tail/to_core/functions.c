/* Functions that lets bind, and their calls.

       let f:(<int>3)->int = fn x:<int>3 => reduce(addi,0,x) in
       f([1,2,3])
   ==>
       fun f_1 (x_2 : [3]i64) : (i64) = ...
       let (t_9 : i64) = f_1([1, 2, 3])

   A core function takes the extents of its arrays first, then the arrays and scalars that the
   arguments are made of; it gives these of its result, an extent that only it knows before the array
   that has it. It is made where it is called first, since the same builtins are translated
   differently within functions for the device; there what draws random numbers takes the seed in
   force, too. */
#include "tail/to_core/to_core.h"

typedef VEC(CoreAtom) AtomVec;
typedef VEC(CoreName *) NameVec;

/* A core function, and what its results are made of. */
typedef struct CalledFunction {
    const CoreFunction *function;
    const TailType *result; /* of the lambda */
    bool takes_seed;        /* behind the extents */
} CalledFunction;

/* What is known of a core function under its name. */
typedef struct Callee {
    const CoreFunction *function;
    bool is_pure;
} Callee;

void to_core_add_function(ToCore *t, const CoreFunction *function, bool is_pure)
{
    Callee *callee = pointer_map_make(t->c->arena, &t->callees, function->name, sizeof *callee);
    *callee = (Callee){function, is_pure};
    vec_push(t->c->arena, &t->functions, function);
}

const CoreFunction *to_core_find_function(ToCore *t, const char *name)
{
    const Callee *callee = pointer_map_get(&t->callees, intern(t->c, name));
    return callee ? callee->function : NULL;
}

bool to_core_is_pure(ToCore *t, const char *name)
{
    const Callee *callee = pointer_map_get(&t->callees, intern(t->c, name));
    return callee && callee->is_pure;
}

/* What is computed outside may be used inside only where the scopes are open. */
static void open_scopes(const Scope *innermost, bool open)
{
    for (Scope *scope = (Scope *)(uintptr_t)innermost; scope; scope = scope->parent)
        scope->open = open;
}

Outside to_core_begin_function(ToCore *t, int parallel)
{
    Outside outside = {t->scope, t->text, t->parallel, t->seed};
    open_scopes(t->scope, false);
    t->scope = NULL;
    t->text = NULL;
    t->parallel = parallel;
    return outside;
}

void to_core_end_function(ToCore *t, const Outside *outside)
{
    t->scope = outside->scope;
    t->text = outside->text;
    t->parallel = outside->parallel;
    t->seed = outside->seed;
    open_scopes(t->scope, true);
}

void to_core_bind_function(ToCore *t, const TailVariable *variable, const TailExp *lambda)
{
    Binding *binding = &t->environment[variable->number];
    if (binding->lambda == lambda)
        return; /* where its body is translated again */
    *binding = (Binding){.scope = t->scope,
                         .lambda = lambda,
                         .has_effects = to_core_function_has_effects(t, lambda),
                         .needs_seed = to_core_function_needs_seed(t, lambda)};
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* <b>n has this extent; -1: only run time knows. */
static int64_t known_extent(const TailType *type)
{
    return type->kind == TAIL_VECTOR ? type->shape.constant : -1;
}

/* The names of a parameter's extents, and of its arrays and scalars. */
static void name_parameter(ToCore *t, const TailType *type, const char *text, NameVec *sizes,
                           NameVec *leaves)
{
    Span span = BUILDER(t)->span;
    if (to_core_is_known(type))
        return;
    for (size_t i = 0; type->kind == TAIL_TUPLE && i < type->count; i++)
        name_parameter(t, type->items[i], text, sizes, leaves);
    if (type->kind == TAIL_TUPLE)
        return;
    int rank = (int)tail_rank(type);
    bool is_complex = type->base.kind == TAIL_COMPLEX;
    CorePrim prim = is_complex ? t->real : to_core_prim_of(t, type->base.kind);
    CoreAtom *extents = ARENA_ARRAY(t->c->arena, CoreAtom, rank + 1);
    for (int axis = 0; axis < rank; axis++) {
        extents[axis] = core_i64(known_extent(type));
        if (known_extent(type) < 0) {
            CoreName *size = core_name(t->c, "n", core_scalar(CORE_I64), span);
            vec_push(t->c->arena, sizes, size);
            extents[axis] = core_use(size);
        }
    }
    for (size_t part = 0; part < (is_complex ? MOST_PARTS : 1); part++) {
        CoreType own = rank == 0 ? core_scalar(prim) : core_array(t->c, prim, rank, extents);
        vec_push(t->c->arena, leaves, core_name(t->c, text, own, span));
    }
}

/* The value of a parameter, from the names that the leaves have from `next` on. */
static Value *parameter_value(ToCore *t, const TailType *type, const NameVec *leaves, size_t *next)
{
    CoreAtom *atoms = ARENA_ARRAY(t->c->arena, CoreAtom, leaves->count + 1);
    for (size_t i = 0; i < leaves->count; i++)
        atoms[i] = core_use(leaves->items[i]);
    return to_core_rebuild(t, type, atoms, next);
}

/* ---- results --------------------------------------------------------------------------------- */

static bool has_atom(const AtomVec *atoms, const CoreName *name)
{
    for (size_t i = 0; i < atoms->count; i++) {
        if (atoms->items[i].name == name)
            return true;
    }
    return false;
}

static bool has_name(size_t count, CoreName *const *names, const CoreName *name)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i] == name)
            return true;
    }
    return false;
}

/* The leaves of the result, each behind those of its extents that are not known outside. */
static AtomVec list_results(ToCore *t, const CoreFunction *function, const TailType *type,
                            Value *value)
{
    size_t count;
    AtomVec results = {0};
    const CoreAtom *leaves = to_core_leaves(t, type, value, &count);
    for (size_t i = 0; i < count; i++) {
        CoreType own = core_atom_type(leaves[i]);
        CoreAtom leaf = leaves[i];
        for (int axis = 0; axis < own.rank; axis++) {
            const CoreName *size = own.sizes[axis].name;
            if (size && !has_atom(&results, size) &&
                !has_name(function->size_count, function->parameters, size)) {
                vec_push(t->c->arena, &results, own.sizes[axis]);
            }
        }
        if (own.rank == 0) /* by a name of its own, which is no array's extent */
            leaf = core_let_atom(BUILDER(t), "value", leaf);
        vec_push(t->c->arena, &results, leaf);
    }
    return results;
}

static void set_results(ToCore *t, CoreFunction *function, const AtomVec *results)
{
    CoreType *types = ARENA_ARRAY(t->c->arena, CoreType, results->count + 1);
    for (size_t i = 0; i < results->count; i++) {
        types[i] = core_atom_type(results->items[i]);
        types[i].unique = false;
    }
    function->result_count = results->count;
    function->result_types = types;
    function->size_results = ARENA_ARRAY(t->c->arena, bool, results->count + 1);
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *function_name(ToCore *t, const TailVariable *variable, bool inner)
{
    const char *text = variable->name;
    for (const char *at = text; *at; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                     (*at >= '0' && *at <= '9') || *at == '_';
        text = plain ? text : "f";
    }
    return intern(
        t->c, arena_printf(t->c->arena, "%s_%u%s", text, variable->number, inner ? "_inner" : ""));
}

static CoreFunction *translate_function(ToCore *t, const TailExp *lambda, const char *name,
                                        bool takes_seed)
{
    CoreFunction *function = ARENA_NEW(t->c->arena, CoreFunction);
    NameVec names = {0}, leaves = {0};
    size_t count = lambda->as.lambda.count, next = 0;
    Scope *scope = to_core_enter_scope(t);
    scope->builder.span = lambda->span;
    for (size_t i = 0; i < count; i++) {
        const TailVariable *parameter = lambda->as.lambda.parameters[i];
        name_parameter(t, parameter->type, parameter->name, &names, &leaves);
    }
    function->size_count = names.count;
    if (takes_seed) {
        CoreName *seed = core_name(t->c, "seed", core_scalar(CORE_I64), lambda->span);
        vec_push(t->c->arena, &names, seed);
        t->seed = core_use(seed);
    }
    for (size_t i = 0; i < leaves.count; i++)
        vec_push(t->c->arena, &names, leaves.items[i]);
    function->name = name;
    function->parameter_count = names.count;
    function->parameters = names.items;
    function->span = lambda->span;
    Value **values = ARENA_ARRAY(t->c->arena, Value *, count + 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = parameter_value(t, lambda->as.lambda.parameters[i]->type, &leaves, &next);
    }
    Value *value = to_core_apply(t, lambda, count, values);
    AtomVec results = list_results(t, function, lambda->as.lambda.body->type, value);
    set_results(t, function, &results);
    function->body = to_core_scope_body(scope, results.count, results.items);
    to_core_leave_scope(t);
    return function;
}

/* The core function for calls here. */
static const CalledFunction *called_function(ToCore *t, const TailVariable *variable)
{
    Binding *binding = &t->environment[variable->number];
    const bool inner = t->parallel > 0;
    if (binding->made[inner])
        return binding->made[inner];
    CalledFunction *made = ARENA_NEW(t->c->arena, CalledFunction);
    const TailExp *lambda = binding->lambda;
    const bool is_pure = !binding->has_effects && (inner || !binding->needs_seed);
    made->takes_seed = inner && binding->needs_seed;
    made->result = lambda->as.lambda.body->type;
    Outside outside = to_core_begin_function(t, inner);
    made->function =
        translate_function(t, lambda, function_name(t, variable, inner), made->takes_seed);
    to_core_end_function(t, &outside);
    to_core_add_function(t, made->function, is_pure);
    t->environment[variable->number].made[inner] = made;
    return made;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* An argument's leaves as the parameter has them: <b>n may be known as that only here. */
static CoreAtom fitting(ToCore *t, CoreAtom leaf, CoreType parameter)
{
    CoreType own = core_atom_type(leaf);
    bool fits = true;
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, own.rank + 1);
    for (int axis = 0; axis < own.rank; axis++) {
        bool fixed = parameter.sizes[axis].name == NULL;
        sizes[axis] = fixed ? parameter.sizes[axis] : own.sizes[axis];
        fits = fits && core_atom_equal(sizes[axis], own.sizes[axis]);
    }
    return fits ? leaf : to_core_coerce(t, leaf, sizes);
}

/* What a size in a type of the function's is at the call. */
static CoreAtom size_here(const CoreFunction *function, const CoreAtom *arguments,
                          CoreName *const *pattern, CoreAtom size)
{
    for (size_t i = 0; size.name && i < function->size_count; i++) {
        if (function->parameters[i] == size.name)
            return arguments[i];
    }
    for (size_t i = 0; size.name && i < function->result_count; i++) {
        if (function->body->results[i].name == size.name)
            return core_use(pattern[i]);
    }
    return size;
}

static const CoreAtom *list_arguments(ToCore *t, const CalledFunction *called, const TailExp *exp)
{
    const CoreFunction *function = called->function;
    const TailType *type = exp->as.apply.function->type;
    size_t next = function->size_count, size = 0;
    CoreAtom *arguments = ARENA_ARRAY(t->c->arena, CoreAtom, function->parameter_count + 1);
    if (called->takes_seed)
        arguments[next++] = t->seed;
    for (size_t i = 0; i < exp->as.apply.count; i++) {
        size_t count;
        Value *value = to_core_translate(t, exp->as.apply.arguments[i]);
        const CoreAtom *leaves = to_core_leaves(t, type->items[i], value, &count);
        for (size_t k = 0; k < count; k++, next++)
            arguments[next] = fitting(t, leaves[k], function->parameters[next]->type);
    }
    for (size_t i = function->size_count; i < function->parameter_count; i++) {
        CoreType parameter = function->parameters[i]->type;
        for (int axis = 0; axis < parameter.rank; axis++) {
            if (size < function->size_count &&
                parameter.sizes[axis].name == function->parameters[size])
                arguments[size++] = core_atom_type(arguments[i]).sizes[axis];
        }
    }
    return arguments;
}

/* f(n, ..., xs, ...) */
static Value *call_function(ToCore *t, const CalledFunction *called, const TailExp *exp,
                            const char *text)
{
    const CoreFunction *function = called->function;
    const CoreAtom *arguments = list_arguments(t, called, exp);
    size_t count = function->result_count, leaf_count = 0, next = 0;
    CoreName **pattern = ARENA_ARRAY(t->c->arena, CoreName *, count + 1);
    CoreAtom *leaves = ARENA_ARRAY(t->c->arena, CoreAtom, count + 1);
    bool *is_size = ARENA_ARRAY(t->c->arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        CoreType type = function->result_types[i];
        CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
        for (int axis = 0; axis < type.rank; axis++) {
            sizes[axis] = size_here(function, arguments, pattern, type.sizes[axis]);
            for (size_t k = 0; k < i; k++)
                is_size[k] = is_size[k] || sizes[axis].name == pattern[k];
        }
        type =
            type.rank == 0 ? core_scalar(type.prim) : core_array(t->c, type.prim, type.rank, sizes);
        pattern[i] = core_name(t->c, text, type, BUILDER(t)->span);
    }
    core_bind(BUILDER(t), count, pattern,
              core_exp_apply(t->c, function->name, function->parameter_count, arguments));
    for (size_t i = 0; i < count; i++) {
        if (!is_size[i])
            leaves[leaf_count++] = core_use(pattern[i]);
    }
    return to_core_rebuild(t, called->result, leaves, &next);
}

Value *to_core_translate_apply(ToCore *t, const TailExp *exp)
{
    const char *text = t->text ? t->text : "t";
    t->text = NULL;
    return call_function(t, called_function(t, exp->as.apply.function), exp, text);
}
