/* Scalars computed outside of the function that they stand in: cells want the extents of results
   outside of their map.

       map (\row -> { let (m) = n + k in ... : [m] })  ==>  let (m) = n + k in map (\row -> ... : [m])

   What an extent is computed from is computed again outside, provided that it is the same for all
   cells: that it comes to what is visible outside. An if whose condition depends on a cell has
   an extent that is the same in both branches. What a function gives for an extent its companion
   gives, which computes nothing else and takes only what that needs:

       fun f (n, x : [n]i64) : (i64, [?]i64) = ...     fun f_value (n) : (i64) = let (m) = n + 1 in (m)

   It is made where it is wanted first, so that a chain of calls comes to one of them for each
   function, and equal calls are one call. */
#include "core/rewrite.h"
#include "tail/to_core/to_core.h"

enum {
    MOST_DEEP = 10000, /* one value needs another, and so on */
    MOST_SIMPLE = 8    /* statements of a companion that is computed where it would be called */
};

typedef VEC(CoreName *) NameVec;

typedef struct MadeCall {
    const Scope *scope;
    const CoreAtom *arguments;
    CoreAtom result;
} MadeCall;

/* What computes one result of a function. */
typedef struct Companion {
    CoreFunction *function; /* NULL: that depends on more than can be lifted */
    VEC(size_t) arguments;  /* of its parameters: which of the function's they are */
    bool is_simple;         /* a few scalar operations */
    VEC(MadeCall) calls;
} Companion;

/* The statement that binds a name, and the scope in which it is computed again. */
typedef struct Origin {
    const CoreStm *stm;
    size_t number; /* among what it binds */
    Scope *home;
    bool speculative; /* it stands in a branch that may not be taken */
} Origin;

/* What a name is outside, while the scope is open. */
typedef struct Found {
    CoreAtom atom;
    const Scope *scope;
} Found;

/* Of the branches of an if, about one of its results. */
typedef enum Agreement { UNKNOWN, AGREE, DIFFER } Agreement;

typedef struct Lift {
    ToCore *t;
    unsigned visible;                      /* names up to this number are what they are */
    PointerMap origins, found, agreements; /* of names */
    int depth;
    bool speculative, too_deep;
    /* where a companion is made: */
    const CoreFunction *function; /* whose parameters become the companion's */
    Companion *companion;
    NameVec parameters;
    const Scope *root;
} Lift;

static bool lift(Lift *l, CoreAtom *atom);

static void find_origins(Lift *l, size_t count, const CoreStm *const *stms)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < stms[i]->pattern_count; k++) {
            const CoreName *name = stms[i]->pattern[k];
            Origin *origin = pointer_map_make(l->t->c->arena, &l->origins, name, sizeof *origin);
            *origin = (Origin){stms[i], k, l->t->scope, l->speculative};
        }
    }
}

static void set_found(Lift *l, const CoreName *name, CoreAtom atom, const Scope *scope)
{
    Found *found = pointer_map_make(l->t->c->arena, &l->found, name, sizeof *found);
    *found = (Found){atom, scope};
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool may_be_copied(const Lift *l, const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_APPLY)
        return !l->speculative && to_core_is_pure(l->t, exp->as.apply.function);
    bool plain = exp->kind != CORE_EXP_ASSERT && !core_has_bodies(exp->kind);
    return !core_has_effect(exp) && (plain || !l->speculative);
}

typedef struct Copy {
    Lift *lift;
    Renaming *renaming;
    NameVec free; /* what the statement uses */
    bool fits;
} Copy;

static void lift_free(void *context, CoreName *name)
{
    Copy *copy = context;
    CoreAtom atom = core_use(name);
    copy->fits = copy->fits && lift(copy->lift, &atom);
    if (copy->fits)
        core_rename(copy->renaming, name, atom);
    vec_push(copy->lift->t->c->arena, &copy->free, name);
}

/* An array that is written in place, bound outside of the statement, is written in a copy. */
static void consume(Copy *copy, CoreAtom array)
{
    for (size_t i = 0; i < copy->free.count; i++) {
        if (copy->free.items[i] == array.name) {
            CoreAtom lifted = core_renamed(copy->renaming, array);
            core_rename(copy->renaming, array.name,
                        core_let_copy(BUILDER(copy->lift->t), "own", lifted));
            return;
        }
    }
}

static void consume_all(Copy *copy, const CoreExp *exp);

static void consume_in_body(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++)
        consume_all(context, body->stms[i]->exp);
}

static void consume_all(Copy *copy, const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_UPDATE)
        consume(copy, exp->as.update.array);
    if (exp->kind == CORE_EXP_SCATTER || exp->kind == CORE_EXP_HIST) {
        for (size_t i = 0; i < exp->as.scatter.count; i++)
            consume(copy, exp->as.scatter.destinations[i]);
    }
    if (exp->kind == CORE_EXP_LOOP) {
        for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
            if (exp->as.loop.parameters[i]->type.unique)
                consume(copy, exp->as.loop.initial[i]);
        }
    }
    core_each_body(exp, consume_in_body, copy);
}

/* How many elements a mask keeps: filter (\b x -> b) b v, without v. */
static const CoreStm *count_kept(ToCore *t, const CoreStm *old)
{
    const CoreExp *exp = old->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    if (predicate->body->stm_count > 0 || predicate->body->result_count != 1 ||
        predicate->body->results[0].name != predicate->parameters[0])
        return old;
    CoreStm *stm = arena_copy(t->c->arena, old, sizeof *old);
    stm->pattern_count = 2;
    stm->exp = core_exp_filter(t->c, exp->as.filter.width, 1, exp->as.filter.inputs,
                               core_lambda(t->c, 1, predicate->parameters, predicate->body));
    return stm;
}

/* How many are kept, where that has been found without all that is kept; NULL: it has not. */
static const Found *counted_before(const Lift *l, const CoreStm *stm)
{
    const Found *count =
        stm->exp->kind == CORE_EXP_FILTER ? pointer_map_get(&l->found, stm->pattern[0]) : NULL;
    return count && count->scope->open ? count : NULL;
}

/* The array, which has so many rows by another name. */
static CoreAtom with_count(ToCore *t, CoreAtom array, CoreAtom count)
{
    CoreType type = core_atom_type(array);
    CoreAtom *sizes = arena_copy(t->c->arena, type.sizes, sizeof *sizes * (size_t)type.rank);
    sizes[0] = count;
    return to_core_coerce(t, array, sizes);
}

/* The statement with other names for what it uses and gives. */
static bool copy_statement(Lift *l, const Origin *origin, CoreAtom *result)
{
    ToCore *t = l->t;
    const CoreStm *old = origin->stm;
    Copy copy = {.lift = l, .renaming = core_renaming(t->c), .fits = may_be_copied(l, old->exp)};
    if (old->exp->kind == CORE_EXP_FILTER && origin->number == 0)
        old = count_kept(t, old);
    if (copy.fits)
        core_each_free(old, lift_free, &copy);
    if (!copy.fits)
        return false;
    consume_all(&copy, old->exp);
    const CoreStm *stm = core_rename_stm(copy.renaming, old);
    core_add(BUILDER(t), stm);
    const Found *count = counted_before(l, old);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreAtom atom = core_use(stm->pattern[k]);
        if (count && k == 0)
            continue;
        if (count)
            atom = with_count(t, atom, count->atom);
        set_found(l, old->pattern[k], atom, t->scope);
    }
    *result = ((const Found *)pointer_map_get(&l->found, old->pattern[origin->number]))->atom;
    return true;
}

/* if condition then { x } else { y }, each computed only where it is taken. */
static bool choose(Lift *l, const CoreExp *exp, size_t number, CoreAtom condition, CoreAtom *result)
{
    ToCore *t = l->t;
    const CoreBody *bodies[2] = {exp->as.conditional.then_body, exp->as.conditional.else_body};
    const CoreBody *lifted[2];
    CoreAtom values[2];
    bool fits = true;
    for (int i = 0; i < 2 && fits; i++) {
        Scope *scope = to_core_enter_scope(t);
        find_origins(l, bodies[i]->stm_count, bodies[i]->stms);
        values[i] = bodies[i]->results[number];
        fits = lift(l, &values[i]);
        to_core_leave_scope(t);
        lifted[i] = to_core_scope_body(scope, 1, &values[i]);
    }
    if (!fits)
        return false;
    CoreType type = core_atom_type(values[0]);
    CoreName *name = core_name(t->c, "size", core_scalar(type.prim), BUILDER(t)->span);
    core_bind(BUILDER(t), 1, &name, core_exp_if(t->c, condition, lifted[0], lifted[1]));
    *result = core_use(name);
    return true;
}

/* Lifts what a branch gives to the present scope, so that it is computed whether the branch is taken or
   not. */
static bool lift_branch(Lift *l, const CoreBody *body, size_t number, CoreAtom *result)
{
    const bool speculative = l->speculative;
    l->speculative = true;
    find_origins(l, body->stm_count, body->stms);
    l->speculative = speculative;
    *result = body->results[number];
    return lift(l, result);
}

/* Whether both branches give the same, which is tried in a scope that is thrown away. */
static bool branches_agree(Lift *l, const Origin *origin)
{
    ToCore *t = l->t;
    const CoreExp *exp = origin->stm->exp;
    const CoreName *name = origin->stm->pattern[origin->number];
    Agreement *agreement = pointer_map_make(t->c->arena, &l->agreements, name, sizeof *agreement);
    if (*agreement != UNKNOWN)
        return *agreement == AGREE;
    CoreAtom x, y;
    to_core_enter_scope(t);
    bool agree = lift_branch(l, exp->as.conditional.then_body, origin->number, &x) &&
                 lift_branch(l, exp->as.conditional.else_body, origin->number, &y) &&
                 core_atom_equal(x, y);
    to_core_leave_scope(t);
    *agreement = agree ? AGREE : DIFFER;
    return agree;
}

/* The condition is only wanted where the branches differ: it may depend on what cannot be lifted. */
static bool lift_choice(Lift *l, const Origin *origin, CoreAtom *result)
{
    const CoreExp *exp = origin->stm->exp;
    CoreAtom condition = exp->as.conditional.condition;
    if (branches_agree(l, origin))
        return lift_branch(l, exp->as.conditional.then_body, origin->number, result);
    return lift(l, &condition) && choose(l, exp, origin->number, condition, result);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A parameter of the function, as one of the companion. */
static bool lift_parameter(Lift *l, CoreAtom *atom)
{
    ToCore *t = l->t;
    CoreType type = atom->name->type;
    size_t number = 0, count = l->function ? l->function->parameter_count : 0;
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    while (number < count && l->function->parameters[number] != atom->name)
        number++;
    if (number == count)
        return false;
    for (int axis = 0; axis < type.rank; axis++) {
        sizes[axis] = type.sizes[axis];
        if (!lift(l, &sizes[axis]))
            return false;
    }
    if (type.rank > 0)
        type = core_array(t->c, type.prim, type.rank, sizes);
    CoreName *name = core_name(t->c, atom->name->text, type, atom->name->span);
    vec_push(t->c->arena, &l->parameters, name);
    vec_push(t->c->arena, &l->companion->arguments, number);
    set_found(l, atom->name, core_use(name), l->root);
    *atom = core_use(name);
    return true;
}

static bool is_simple(const CoreBody *body)
{
    bool simple = body->stm_count <= MOST_SIMPLE;
    for (size_t i = 0; i < body->stm_count && simple; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        simple = kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY ||
                 kind == CORE_EXP_CONVERT;
    }
    return simple;
}

static void make_companion(ToCore *t, const CoreFunction *function, size_t number,
                           Companion *companion)
{
    CoreAtom result = function->body->results[number];
    CoreType *type = ARENA_NEW(t->c->arena, CoreType);
    *type = core_scalar(core_atom_type(result).prim);
    Outside outside = to_core_begin_function(t, t->parallel);
    Scope *scope = to_core_enter_scope(t);
    scope->builder.span = function->span;
    Lift l = {.t = t, .function = function, .companion = companion, .root = scope};
    find_origins(&l, function->body->stm_count, function->body->stms);
    bool fits = lift(&l, &result);
    to_core_leave_scope(t);
    to_core_end_function(t, &outside);
    if (!fits)
        return;
    companion->function = ARENA_NEW(t->c->arena, CoreFunction);
    *companion->function = (CoreFunction){
        .name = intern(t->c, arena_printf(t->c->arena, "%s_value_%zu", function->name, number)),
        .parameter_count = l.parameters.count,
        .parameters = l.parameters.items,
        .result_count = 1,
        .result_types = type,
        .size_results = ARENA_ARRAY(t->c->arena, bool, 1),
        .body = to_core_scope_body(scope, 1, &result),
        .span = function->span};
    companion->is_simple = is_simple(companion->function->body);
    if (!companion->is_simple)
        to_core_add_function(t, companion->function, true);
}

/* What the companion's body comes to, here. */
static CoreAtom compute(ToCore *t, const Companion *companion, const CoreAtom *arguments)
{
    const CoreFunction *function = companion->function;
    Lift l = {.t = t};
    CoreAtom result = function->body->results[0];
    for (size_t i = 0; i < function->parameter_count; i++)
        set_found(&l, function->parameters[i], arguments[i], t->scope);
    find_origins(&l, function->body->stm_count, function->body->stms);
    if (!lift(&l, &result))
        internal_error(t->c, "a scalar that is computed from more than its function says");
    return result;
}

static CoreAtom call_companion(ToCore *t, Companion *companion, const CoreAtom *arguments)
{
    const CoreFunction *function = companion->function;
    const size_t count = function->parameter_count;
    if (companion->is_simple)
        return compute(t, companion, arguments);
    for (size_t i = 0; i < companion->calls.count; i++) {
        const MadeCall *made = &companion->calls.items[i];
        bool same = made->scope->open;
        for (size_t k = 0; k < count && same; k++)
            same = core_atom_equal(made->arguments[k], arguments[k]);
        if (same)
            return made->result;
    }
    CoreAtom result = core_let(BUILDER(t), "size", function->result_types[0],
                               core_exp_apply(t->c, function->name, count, arguments));
    MadeCall made = {t->scope, arguments, result};
    vec_push(t->c->arena, &companion->calls, made);
    return result;
}

static bool lift_call(Lift *l, const Origin *origin, CoreAtom *result)
{
    ToCore *t = l->t;
    const CoreExp *exp = origin->stm->exp;
    const CoreFunction *function = to_core_find_function(t, exp->as.apply.function);
    *result = function->body->results[origin->number];
    if (!result->name)
        return true;
    Companion *companion = pointer_map_get(&t->companions, result->name);
    if (!companion) {
        companion = pointer_map_make(t->c->arena, &t->companions, result->name, sizeof *companion);
        make_companion(t, function, origin->number, companion);
    }
    CoreAtom *arguments = ARENA_ARRAY(t->c->arena, CoreAtom, companion->arguments.count + 1);
    bool fits = companion->function != NULL;
    for (size_t i = 0; i < companion->arguments.count && fits; i++) {
        arguments[i] = exp->as.apply.arguments[companion->arguments.items[i]];
        fits = lift(l, &arguments[i]);
    }
    if (!fits)
        return copy_statement(l, origin, result);
    *result = call_companion(t, companion, arguments);
    return true;
}

/* ---- atoms ----------------------------------------------------------------------------------- */

/* What is computed in the scopes inside the other one is visible there, or not. */
static void open_inner(Scope *scope, const Scope *outer, bool open)
{
    for (; scope != outer; scope = scope->parent)
        scope->open = open;
}

/* With the scope in place where the statement is to be computed. */
static bool lift_statement(Lift *l, const Origin *origin, CoreAtom *result)
{
    const CoreExp *exp = origin->stm->exp;
    CoreAtom x, y;
    if (origin->stm->certificate_count > 0)
        return copy_statement(l, origin, result);
    if (exp->kind == CORE_EXP_ATOM) {
        *result = exp->as.atom;
        return lift(l, result);
    }
    if (origin->stm->pattern[origin->number]->type.rank > 0)
        return copy_statement(l, origin, result);
    switch (exp->kind) {
    case CORE_EXP_UNARY:
        x = exp->as.scalar.x;
        if (!lift(l, &x))
            return false;
        *result = to_core_unary(l->t, exp->as.scalar.op, x);
        return true;
    case CORE_EXP_BINARY:
        x = exp->as.scalar.x;
        y = exp->as.scalar.y;
        if (!lift(l, &x) || !lift(l, &y))
            return false;
        *result = to_core_binary(l->t, exp->as.scalar.op, x, y);
        return true;
    case CORE_EXP_CONVERT:
        x = exp->as.convert.x;
        if (!lift(l, &x))
            return false;
        *result = to_core_convert(l->t, exp->as.convert.to, x);
        return true;
    case CORE_EXP_IF: return lift_choice(l, origin, result);
    case CORE_EXP_APPLY: return lift_call(l, origin, result);
    default: return copy_statement(l, origin, result);
    }
}

/* The atom becomes one of the same value that is visible outside; false where there is none. */
static bool lift(Lift *l, CoreAtom *atom)
{
    ToCore *t = l->t;
    const CoreName *name = atom->name;
    if (!name || name->number <= l->visible)
        return true;
    const Found *found = pointer_map_get(&l->found, name);
    if (found && found->scope->open) {
        *atom = found->atom;
        return true;
    }
    const Origin *origin = pointer_map_get(&l->origins, name);
    if (!origin)
        return lift_parameter(l, atom);
    if (l->depth >= MOST_DEEP) {
        if (!l->too_deep)
            to_core_refuse(t, "LIMIT ERROR", "an extent of cells that takes more than %d steps",
                           MOST_DEEP);
        l->too_deep = true;
        return false;
    }
    const bool speculative = l->speculative;
    Scope *scope = t->scope, *home = origin->home;
    Span span = home->builder.span;
    open_inner(scope, home, false);
    t->scope = home;
    home->builder.span = origin->stm->span;
    l->speculative = origin->speculative;
    l->depth++;
    bool fits = lift_statement(l, origin, atom);
    l->depth--;
    l->speculative = speculative;
    home->builder.span = span;
    t->scope = scope;
    open_inner(scope, home, true);
    if (fits)
        set_found(l, name, *atom, home);
    return fits;
}

bool to_core_lift(ToCore *t, const Scope *inner, unsigned mark, size_t count, CoreAtom *atoms)
{
    Lift l = {.t = t, .visible = mark};
    find_origins(&l, inner->builder.stms.count, inner->builder.stms.items);
    for (size_t i = 0; i < count; i++) {
        if (!lift(&l, &atoms[i]))
            return false;
    }
    return true;
}
