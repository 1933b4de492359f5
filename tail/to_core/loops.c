/* power, while, condScl, bench, and if: control.

       power(f,n,(x,y))  ==>  let (x, y) = loop (x = x, y = y) for i < n do [f] (x, y)
       while(f,(c,x))    ==>  let (c, x) = loop (c = c, x = x) while c do [f] (c, x)
       condScl(f,b,x)    ==>  if b then [f] x else x

   A tuple as state is several loop parameters. The extents of an array in the state may change from
   step to step: the body is first translated as if they did not; those axes whose extent comes out
   as another atom then become i64 parameters in front, and the body is translated again, until
   nothing more changes. Which axes change is remembered for the loop (an outer loop that translates
   its body again does not find out again), so that nests of loops stay linear.

   Old files assign items of a variable inside such functions (idxassign): the variable, bound in the
   body around, becomes one more part of the state. */
#include "tail/to_core/to_core.h"

/* One array or scalar of a state or of the value of an if. */
typedef struct Leaf {
    const TailType *type;
    int rank;
    CoreAtom initial;
    size_t first_axis; /* number of its first axis, among those of all leaves */
    bool follows;      /* imaginary parts: their extents are those of the leaf before */
} Leaf;

typedef struct State {
    const TailType *type;
    VEC(Leaf) leaves;
    size_t axis_count;
} State;

/* ---- leaves -------------------------------------------------------------------------------- */

bool to_core_is_known(const TailType *type)
{
    return type->kind == TAIL_SINGLE || type->kind == TAIL_SINGLE_VECTOR;
}

static void collect(ToCore *t, State *state, const TailType *type, Value *value)
{
    if (type->kind == TAIL_TUPLE) {
        for (size_t i = 0; i < type->count; i++)
            collect(t, state, type->items[i], value->items[i]);
        return;
    }
    if (to_core_is_known(type))
        return;
    CoreAtom parts[MOST_PARTS];
    size_t count = to_core_store_parts(t, value, parts);
    for (size_t i = 0; i < count; i++) {
        Leaf leaf = {type, (int)tail_rank(type), parts[i], state->axis_count, i > 0};
        vec_push(t->c->arena, &state->leaves, leaf);
    }
    state->axis_count += (size_t)tail_rank(type);
}

static State make_state(ToCore *t, const TailType *type, Value *value)
{
    State state = {.type = type};
    collect(t, &state, type, value);
    return state;
}

const CoreAtom *to_core_leaves(ToCore *t, const TailType *type, Value *value, size_t *count)
{
    State state = make_state(t, type, value);
    *count = state.leaves.count;
    CoreAtom *atoms = ARENA_ARRAY(t->c->arena, CoreAtom, *count + 1);
    for (size_t i = 0; i < *count; i++)
        atoms[i] = state.leaves.items[i].initial;
    return atoms;
}

static Value *known_value(ToCore *t, const TailType *type)
{
    bool is_bool = type->base.kind == TAIL_BOOL;
    CoreAtom known =
        is_bool ? core_bool(type->shape.constant != 0) : core_int(t->integer, type->shape.constant);
    return type->kind == TAIL_SINGLE ? to_core_value_atom(t, known)
                                     : to_core_value_components(t, known.prim, 1, &known);
}

Value *to_core_rebuild(ToCore *t, const TailType *type, const CoreAtom *atoms, size_t *next)
{
    if (to_core_is_known(type))
        return known_value(t, type);
    if (type->kind != TAIL_TUPLE) {
        size_t count = type->base.kind == TAIL_COMPLEX ? MOST_PARTS : 1;
        *next += count;
        return to_core_value_parts(t, count, atoms + *next - count);
    }
    Value **items = ARENA_ARRAY(t->c->arena, Value *, type->count + 1);
    for (size_t i = 0; i < type->count; i++)
        items[i] = to_core_rebuild(t, type->items[i], atoms, next);
    return to_core_value_tuple(t, type->count, items);
}

/* Names for all leaves: first an i64 for each varying axis, then the leaves with these as extents.
   `names` gets them all in order. */
static void name_leaves(ToCore *t, const State *state, const bool *varying, const char *text,
                        CoreName **names, CoreAtom *leaves)
{
    size_t count = 0;
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, state->axis_count + 1);
    for (size_t i = 0; i < state->leaves.count; i++) {
        const Leaf *leaf = &state->leaves.items[i];
        const CoreAtom *initial = core_atom_type(leaf->initial).sizes;
        for (int axis = 0; axis < leaf->rank && !leaf->follows; axis++) {
            size_t place = leaf->first_axis + (size_t)axis;
            sizes[place] = initial[axis];
            if (!varying[place])
                continue;
            names[count] = core_name(t->c, "n", core_scalar(CORE_I64), BUILDER(t)->span);
            sizes[place] = core_use(names[count++]);
        }
    }
    for (size_t i = 0; i < state->leaves.count; i++) {
        const Leaf *leaf = &state->leaves.items[i];
        CorePrim prim = core_atom_type(leaf->initial).prim;
        CoreType type = core_array(t->c, prim, leaf->rank, &sizes[leaf->first_axis]);
        if (leaf->rank == 0)
            type = core_scalar(prim);
        names[count] = core_name(t->c, text, type, BUILDER(t)->span);
        leaves[i] = core_use(names[count++]);
    }
}

/* The extents of varying axes, then the leaves: initial values or results. */
static size_t list_leaves(const State *state, const bool *varying, CoreAtom *atoms)
{
    size_t count = 0;
    for (size_t i = 0; i < state->leaves.count; i++) {
        const Leaf *leaf = &state->leaves.items[i];
        for (int axis = 0; axis < leaf->rank && !leaf->follows; axis++) {
            if (!varying[leaf->first_axis + (size_t)axis])
                continue;
            atoms[count++] = core_atom_type(leaf->initial).sizes[axis];
        }
    }
    for (size_t i = 0; i < state->leaves.count; i++)
        atoms[count++] = state->leaves.items[i].initial;
    return count;
}

/* ---- what idxassign changes, as a part of a state ------------------------------------------- */

/* (type, types of the variables); the type itself where there are none. */
static const TailType *type_with(ToCore *t, const TailType *type, const Assigned *assigned)
{
    const TailType *both[2] = {type, to_core_assigned_type(t, assigned)};
    return assigned->count == 0 ? type : tail_tuple_type(t->c, 2, both);
}

/* (value, what the variables are now) */
static Value *value_with(ToCore *t, Value *value, const Assigned *assigned)
{
    Value *both[2] = {value, to_core_assigned_value(t, assigned)};
    return assigned->count == 0 ? value : to_core_value_tuple(t, 2, both);
}

/* The value of such a pair; the variables are what it says from now on, in the present scope. */
static Value *take_assigned(ToCore *t, Value *value, const Assigned *assigned)
{
    if (assigned->count == 0)
        return value;
    to_core_set_assigned(t, assigned, value->items[1]);
    return value->items[0];
}

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct Loop {
    const TailExp *lambda;
    State state;
    bool *varying;
    CoreAtom bound;
    bool is_while; /* the first leaf is the condition */
    const char *text;
    Assigned assigned; /* variables that are parts of the state, too */
} Loop;

/* Whether the extents of the results are as the parameters say; notes those that are not. */
static bool extents_hold(const Loop *loop, const State *results, const CoreAtom *parameters)
{
    bool hold = true;
    for (size_t i = 0; i < results->leaves.count; i++) {
        const Leaf *leaf = &results->leaves.items[i];
        CoreType given = core_atom_type(leaf->initial), wanted = core_atom_type(parameters[i]);
        for (int axis = 0; axis < leaf->rank; axis++) {
            size_t place = leaf->first_axis + (size_t)axis;
            if (loop->varying[place] || core_atom_equal(given.sizes[axis], wanted.sizes[axis]))
                continue;
            loop->varying[place] = true;
            hold = false;
        }
    }
    return hold;
}

/* One attempt: the loop's results, or false when more axes turn out to vary. */
static bool try_loop(ToCore *t, Loop *loop, Value **result)
{
    const State *state = &loop->state;
    size_t most = state->axis_count + state->leaves.count + 1, next = 0;
    CoreName **names = ARENA_ARRAY(t->c->arena, CoreName *, most);
    CoreAtom *leaves = ARENA_ARRAY(t->c->arena, CoreAtom, most);
    CoreAtom *atoms = ARENA_ARRAY(t->c->arena, CoreAtom, most);
    name_leaves(t, state, loop->varying, loop->text, names, leaves);
    CoreName *index = core_name(t->c, "step", core_scalar(CORE_I64), BUILDER(t)->span);
    Value *before = value_with(t, NULL, &loop->assigned);
    Scope *scope = to_core_enter_scope(t);
    Value *parameter =
        take_assigned(t, to_core_rebuild(t, state->type, leaves, &next), &loop->assigned);
    Value *body = to_core_apply(t, loop->lambda, 1, &parameter);
    State results = make_state(t, state->type, value_with(t, body, &loop->assigned));
    bool hold = extents_hold(loop, &results, leaves);
    to_core_leave_scope(t);
    take_assigned(t, before, &loop->assigned);
    if (!hold)
        return false;
    size_t count = list_leaves(&results, loop->varying, atoms);
    const CoreBody *steps = to_core_scope_body(scope, count, atoms);
    list_leaves(state, loop->varying, atoms);
    CoreName *condition = names[count - state->leaves.count];
    const CoreExp *exp = loop->is_while
                             ? core_exp_while(t->c, count, names, atoms, condition, steps)
                             : core_exp_for(t->c, count, names, atoms, index, loop->bound, steps);
    CoreName **pattern = ARENA_ARRAY(t->c->arena, CoreName *, most);
    name_leaves(t, state, loop->varying, loop->text, pattern, leaves);
    core_bind(BUILDER(t), count, pattern, exp);
    next = 0;
    *result = take_assigned(t, to_core_rebuild(t, state->type, leaves, &next), &loop->assigned);
    return true;
}

/* Translates until the axes that vary are known. */
static Value *translate_loop(ToCore *t, const Call *call, Loop loop, size_t argument)
{
    loop.lambda = call->arguments[0];
    loop.text = call->text;
    const TailVariable *parameter = loop.lambda->as.lambda.parameters[0];
    Value *initial = to_core_argument(t, call, argument);
    to_core_find_assigned(t, loop.lambda->as.lambda.body, &loop.assigned);
    loop.state = make_state(t, type_with(t, parameter->type, &loop.assigned),
                            value_with(t, initial, &loop.assigned));
    Binding *binding = &t->environment[parameter->number];
    if (!binding->varying) {
        binding->varying = ARENA_ARRAY(t->c->arena, bool, loop.state.axis_count + 1);
    }
    loop.varying = (bool *)binding->varying;
    Value *result = NULL;
    while (!try_loop(t, &loop, &result))
        continue;
    return result;
}

static Value *translate_power(ToCore *t, const Call *call, CoreAtom bound)
{
    return translate_loop(t, call, (Loop){.bound = bound}, 2);
}

static Value *translate_while(ToCore *t, const Call *call)
{
    const TailType *type = call->exp->type;
    bool fits = type->kind == TAIL_TUPLE && type->count > 0 && type->items[0]->kind == TAIL_ARRAY &&
                tail_rank(type->items[0]) == 0 && type->items[0]->base.kind == TAIL_BOOL;
    if (!fits) {
        to_core_refuse(t, "TYPE ERROR",
                       "the state of while must be a tuple that begins with a bool");
        return to_core_value_dummy(t, type);
    }
    return translate_loop(t, call, (Loop){.is_while = true}, 1);
}

static Value *translate_bench(ToCore *t, const Call *call)
{
    CoreAtom bound = to_core_argument_index(t, call, 1);
    if (t->parallel > 0) {
        to_core_unsupported(t, "bench inside a function that may run on the device");
        return translate_power(t, call, bound);
    }
    CoreAtom begin = core_let_now(BUILDER(t), "begin");
    Value *result = translate_power(t, call, bound);
    CoreAtom end = core_let_now(BUILDER(t), "end");
    size_t count;
    const CoreAtom *timed = to_core_leaves(t, call->exp->type, result, &count);
    core_do_bench(BUILDER(t), bound, to_core_binary(t, CORE_SUB, end, begin), count, timed);
    return result;
}

/* ---- if ------------------------------------------------------------------------------------ */

/* Axes whose extents differ, or are known inside a branch only, are results of the if too. Names
   made since `mark` belong to the branches. */
static bool *branch_extents(ToCore *t, const State *x, const State *y, unsigned mark)
{
    bool *varying = ARENA_ARRAY(t->c->arena, bool, x->axis_count + 1);
    for (size_t i = 0; i < x->leaves.count; i++) {
        const Leaf *leaf = &x->leaves.items[i];
        const CoreAtom *x_sizes = core_atom_type(leaf->initial).sizes;
        const CoreAtom *y_sizes = core_atom_type(y->leaves.items[i].initial).sizes;
        for (int axis = 0; axis < leaf->rank; axis++) {
            bool inside = x_sizes[axis].name && x_sizes[axis].name->number > mark;
            varying[leaf->first_axis + (size_t)axis] =
                inside || !core_atom_equal(x_sizes[axis], y_sizes[axis]);
        }
    }
    return varying;
}

/* A branch of an if: computed from `exp`, or given (then `exp` is NULL). `before` is a pair with what
   the variables are that one of the branches changes. */
static State branch(ToCore *t, const TailType *type, const TailExp *exp, Value *before,
                    const Assigned *assigned, Scope **scope)
{
    *scope = to_core_enter_scope(t);
    Value *value = take_assigned(t, before, assigned); /* the same values, in this scope */
    if (exp)
        value = to_core_translate(t, exp);
    State state = make_state(t, type, value_with(t, value, assigned));
    to_core_leave_scope(t);
    take_assigned(t, before, assigned);
    return state;
}

static Value *join_branches(ToCore *t, const char *text, CoreAtom condition, const State *x,
                            Scope *x_scope, const State *y, Scope *y_scope, unsigned mark)
{
    size_t most = x->axis_count + x->leaves.count + 1, next = 0;
    CoreName **names = ARENA_ARRAY(t->c->arena, CoreName *, most);
    CoreAtom *leaves = ARENA_ARRAY(t->c->arena, CoreAtom, most);
    CoreAtom *x_atoms = ARENA_ARRAY(t->c->arena, CoreAtom, most);
    CoreAtom *y_atoms = ARENA_ARRAY(t->c->arena, CoreAtom, most);
    bool *varying = branch_extents(t, x, y, mark);
    size_t count = list_leaves(x, varying, x_atoms);
    list_leaves(y, varying, y_atoms);
    const CoreExp *exp = core_exp_if(t->c, condition, to_core_scope_body(x_scope, count, x_atoms),
                                     to_core_scope_body(y_scope, count, y_atoms));
    name_leaves(t, x, varying, text, names, leaves);
    core_bind(BUILDER(t), count, names, exp);
    return to_core_rebuild(t, x->type, leaves, &next);
}

Value *to_core_translate_if(ToCore *t, const TailExp *exp)
{
    const char *text = t->text ? t->text : "t";
    t->text = NULL;
    CoreAtom condition = to_core_translate_atom(t, exp->as.conditional.condition);
    if (!condition.name) {
        t->text = text;
        return to_core_translate(t, condition.as.integer ? exp->as.conditional.then_case
                                                         : exp->as.conditional.else_case);
    }
    unsigned mark = t->c->last_number;
    Assigned assigned = {0};
    to_core_find_assigned(t, exp->as.conditional.then_case, &assigned);
    to_core_find_assigned(t, exp->as.conditional.else_case, &assigned);
    const TailType *type = type_with(t, exp->type, &assigned);
    Value *before = value_with(t, NULL, &assigned);
    Scope *x_scope, *y_scope;
    State x = branch(t, type, exp->as.conditional.then_case, before, &assigned, &x_scope);
    State y = branch(t, type, exp->as.conditional.else_case, before, &assigned, &y_scope);
    Value *joined = join_branches(t, text, condition, &x, x_scope, &y, y_scope, mark);
    return take_assigned(t, joined, &assigned);
}

/* condScl(f,b,x)  ==>  if b then f x else x */
static Value *translate_conditional(ToCore *t, const Call *call)
{
    CoreAtom condition = to_core_argument_atom(t, call, 1);
    Value *value = to_core_argument(t, call, 2);
    if (!condition.name) {
        return condition.as.integer ? to_core_apply(t, call->arguments[0], 1, &value) : value;
    }
    unsigned mark = t->c->last_number;
    Assigned assigned = {0};
    to_core_find_assigned(t, call->arguments[0]->as.lambda.body, &assigned);
    const TailType *type = type_with(t, call->exp->type, &assigned);
    Value *before = value_with(t, value, &assigned);
    Scope *x_scope, *y_scope;
    x_scope = to_core_enter_scope(t);
    take_assigned(t, before, &assigned); /* the same values, in this scope */
    Value *applied = to_core_apply(t, call->arguments[0], 1, &value);
    State x = make_state(t, type, value_with(t, applied, &assigned));
    to_core_leave_scope(t);
    take_assigned(t, before, &assigned);
    State y = branch(t, type, NULL, before, &assigned, &y_scope);
    Value *joined = join_branches(t, call->text, condition, &x, x_scope, &y, y_scope, mark);
    return take_assigned(t, joined, &assigned);
}

Value *to_core_translate_loop(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_POWER:
    case TAIL_OP_POWERSCL: return translate_power(t, call, to_core_argument_index(t, call, 1));
    case TAIL_OP_WHILE: return translate_while(t, call);
    case TAIL_OP_BENCH: return translate_bench(t, call);
    case TAIL_OP_CONDSCL: return translate_conditional(t, call);
    default: return NULL; /* another file's */
    }
}
