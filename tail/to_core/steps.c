/* What is done one after the other, because it has effects: functions that print, draw or make text,
   and functions that change a variable outside (idxassign of old files).

       let v = .. in each(fn x => let b = idxassign([1],v,x) in muli(x,x), w)
       ==>  loop (v = v, done = replicate n 0) for i < n do
              let v' = v with [0] <- w[i]
              let done' = done with [i] <- w[i] * w[i]
              in (v', done')

   The variable, bound in the body around, is a part of the loop's state; so it is in loops.c. What
   changes variables only may run on the device, in a loop of each work-item; what prints is on the
   host. */
#include "tail/to_core/to_core.h"

/* ---- what idxassign changes ---------------------------------------------------------------- */

static void add_assigned(ToCore *t, Assigned *assigned, TailVariable *variable)
{
    bool there = t->environment[variable->number].scope != t->scope;
    for (size_t i = 0; i < assigned->count && !there; i++)
        there = assigned->items[i] == variable;
    if (!there)
        vec_push(t->c->arena, assigned, variable);
}

typedef struct Search {
    ToCore *t;
    Assigned *assigned;
} Search;

static void find_in_part(void *context, const TailExp *part)
{
    const Search *search = context;
    to_core_find_assigned(search->t, part, search->assigned);
}

/* Functions that lets bind change nothing outside. */
void to_core_find_assigned(ToCore *t, const TailExp *exp, Assigned *assigned)
{
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body)
        to_core_find_assigned(t, exp->as.let.value, assigned);
    if (exp->kind == TAIL_EXP_CALL && exp->as.call.builtin == TAIL_OP_IDXASSIGN &&
        exp->as.call.arguments[1]->kind == TAIL_EXP_VARIABLE)
        add_assigned(t, assigned, exp->as.call.arguments[1]->as.variable);
    tail_each_part(exp, find_in_part, &(Search){t, assigned});
}

const TailType *to_core_assigned_type(ToCore *t, const Assigned *assigned)
{
    const TailType **types = ARENA_ARRAY(t->c->arena, const TailType *, assigned->count + 1);
    for (size_t i = 0; i < assigned->count; i++) {
        const TailType *own = assigned->items[i]->type;
        types[i] = tail_array_type(t->c, own->base.kind, tail_rank(own));
    }
    return tail_tuple_type(t->c, assigned->count, types);
}

Value *to_core_assigned_value(ToCore *t, const Assigned *assigned)
{
    Value **items = ARENA_ARRAY(t->c->arena, Value *, assigned->count + 1);
    for (size_t i = 0; i < assigned->count; i++)
        items[i] = t->environment[assigned->items[i]->number].value;
    return to_core_value_tuple(t, assigned->count, items);
}

void to_core_set_assigned(ToCore *t, const Assigned *assigned, const Value *value)
{
    for (size_t i = 0; i < assigned->count; i++) {
        Binding *binding = &t->environment[assigned->items[i]->number];
        binding->value = value->items[i];
        binding->scope = t->scope;
    }
}

/* ---- loops over items ---------------------------------------------------------------------- */

bool to_core_one_by_one(ToCore *t, const TailExp *lambda)
{
    Assigned assigned = {0};
    to_core_find_assigned(t, lambda->as.lambda.body, &assigned);
    return assigned.count > 0 || (t->parallel == 0 && to_core_function_has_effects(t, lambda));
}

size_t to_core_add_state(ToCore *t, Steps *steps, const char *text, CoreAtom initial)
{
    CoreType type = core_atom_type(initial);
    vec_push(t->c->arena, &steps->start, initial);
    vec_push(t->c->arena, &steps->next, initial);
    vec_push(t->c->arena, &steps->parameters, core_name(t->c, text, type, BUILDER(t)->span));
    return steps->start.count - 1;
}

CoreAtom to_core_state(const Steps *steps, size_t k)
{
    return core_use(steps->parameters.items[k]);
}

void to_core_set_state(Steps *steps, size_t k, CoreAtom next)
{
    steps->next.items[k] = next;
}

/* The variables with these atoms as their values, from now on. */
static void rebind_assigned(ToCore *t, const Steps *steps, const CoreAtom *atoms)
{
    size_t next = 0;
    const TailType *type = to_core_assigned_type(t, &steps->assigned);
    to_core_set_assigned(t, &steps->assigned, to_core_rebuild(t, type, atoms, &next));
}

Steps *to_core_begin_steps(ToCore *t, const TailExp *lambda)
{
    Steps *steps = ARENA_NEW(t->c->arena, Steps);
    to_core_find_assigned(t, lambda->as.lambda.body, &steps->assigned);
    steps->before = to_core_assigned_value(t, &steps->assigned);
    const TailType *type = to_core_assigned_type(t, &steps->assigned);
    const CoreAtom *initial = to_core_leaves(t, type, steps->before, &steps->assigned_count);
    CoreAtom *uses = ARENA_ARRAY(t->c->arena, CoreAtom, steps->assigned_count + 1);
    for (size_t i = 0; i < steps->assigned_count; i++)
        uses[i] = to_core_state(steps, to_core_add_state(t, steps, "v", initial[i]));
    steps->index = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    steps->scope = to_core_enter_scope(t);
    rebind_assigned(t, steps, uses);
    return steps;
}

void to_core_leave_steps(ToCore *t, Steps *steps)
{
    size_t count;
    Value *after = to_core_assigned_value(t, &steps->assigned);
    const TailType *type = to_core_assigned_type(t, &steps->assigned);
    const CoreAtom *atoms = to_core_leaves(t, type, after, &count);
    for (size_t i = 0; i < count; i++)
        to_core_set_state(steps, i, atoms[i]);
    to_core_leave_scope(t);
    to_core_set_assigned(t, &steps->assigned, steps->before);
}

const CoreAtom *to_core_finish_steps(ToCore *t, Steps *steps, CoreAtom bound)
{
    size_t count = steps->start.count;
    CoreName **pattern = ARENA_ARRAY(t->c->arena, CoreName *, count + 1);
    CoreAtom *results = ARENA_ARRAY(t->c->arena, CoreAtom, count + 1);
    for (size_t i = 0; i < count; i++) {
        const CoreName *parameter = steps->parameters.items[i];
        pattern[i] = core_name(t->c, parameter->text, parameter->type, BUILDER(t)->span);
        results[i] = core_use(pattern[i]);
    }
    const CoreBody *body = to_core_scope_body(steps->scope, count, steps->next.items);
    core_bind(BUILDER(t), count, pattern,
              core_exp_for(t->c, count, steps->parameters.items, steps->start.items, steps->index,
                           bound, body));
    rebind_assigned(t, steps, results);
    return results;
}

/* ---- reduce and scan ----------------------------------------------------------------------- */

/* reduce(f,n,a), rank 1   ==>  let start = if n == 0 then n else a[last]
                                in loop (acc = start) for i < last do [f] a[last-1-i] acc
   rank r                  ==>  a loop over the rows, which puts each row's result in its place
   scan(f,n,a)             ==>  a loop over all places, from the first: the fold of the row's items
                                up to that place

   Arguments go to f from the right, as APL has it. Rows and prefixes come in order. */
typedef struct Fold {
    const TailExp *lambda;
    size_t parts;               /* of an item */
    CoreAtom items[MOST_PARTS]; /* all of them, as vectors */
    bool has_neutral;
    CoreAtom neutral[MOST_PARTS];
    CoreAtom n; /* length of a row */
    const char *text;
} Fold;

/* The item at `place`; where rows are empty the neutral element, if there is one. */
static void start_of(ToCore *t, const Fold *fold, CoreAtom place, CoreAtom *results)
{
    CoreAtom empty = to_core_binary(t, CORE_EQ, fold->n, core_i64(0));
    bool never = !fold->has_neutral || is_constant(empty, 0);
    for (size_t i = 0; i < fold->parts; i++) {
        if (is_constant(empty, 1) && fold->has_neutral) {
            results[i] = fold->neutral[i];
            continue;
        }
        Scope *none = to_core_enter_scope(t);
        to_core_leave_scope(t);
        Scope *some = never ? NULL : to_core_enter_scope(t);
        CoreAtom item = to_core_element(t, "last", fold->items[i], place);
        if (never) {
            results[i] = item;
            continue;
        }
        to_core_leave_scope(t);
        results[i] =
            core_let(BUILDER(t), "last", core_scalar(core_atom_type(item).prim),
                     core_exp_if(t->c, empty, to_core_scope_body(none, 1, fold->neutral + i),
                                 to_core_scope_body(some, 1, &item)));
    }
}

/* The fold of the items from `first` on, `last` of them after it. */
static void fold_items(ToCore *t, const Fold *fold, CoreAtom first, CoreAtom last,
                       CoreAtom *results)
{
    size_t places[MOST_PARTS], parts = fold->parts;
    CoreAtom start[MOST_PARTS], pair[2 * MOST_PARTS], next[MOST_PARTS];
    CoreAtom end = to_core_binary(t, CORE_ADD, first, last);
    start_of(t, fold, end, start);
    Steps *steps = to_core_begin_steps(t, fold->lambda);
    CoreAtom place = to_core_binary(t, CORE_SUB, to_core_binary(t, CORE_SUB, end, core_i64(1)),
                                    core_use(steps->index));
    for (size_t i = 0; i < parts; i++) {
        places[i] = to_core_add_state(t, steps, "acc", start[i]);
        pair[i] = to_core_element(t, "x", fold->items[i], place);
        pair[parts + i] = to_core_state(steps, places[i]);
    }
    to_core_apply_parts(t, fold->lambda, pair, next);
    for (size_t i = 0; i < parts; i++)
        to_core_set_state(steps, places[i], next[i]);
    to_core_leave_steps(t, steps);
    const CoreAtom *after = to_core_finish_steps(t, steps, last);
    for (size_t i = 0; i < parts; i++)
        results[i] = after[places[i]];
}

/* A fold for each place of a new array of these extents. */
static void fold_places(ToCore *t, const Fold *fold, bool scan, size_t rank, const CoreAtom *sizes,
                        CoreAtom *results)
{
    size_t places[MOST_PARTS];
    CoreAtom items[MOST_PARTS], count = to_core_product(t, rank, sizes), start[MOST_PARTS];
    for (size_t i = 0; i < fold->parts; i++) {
        CorePrim prim = core_atom_type(fold->items[i]).prim;
        start[i] = core_let_replicate(BUILDER(t), "done", 1, &count, to_core_fill_of(prim));
    }
    Steps *steps = to_core_begin_steps(t, fold->lambda);
    CoreAtom k = core_use(steps->index), first, last;
    CoreSlice slice = {true, k, core_i64(1), core_i64(1)};
    if (scan) {
        last = to_core_binary(t, CORE_MOD, k, fold->n);
        first = to_core_binary(t, CORE_SUB, k, last);
    } else {
        last = to_core_binary(t, CORE_SUB, fold->n, core_i64(1));
        first = to_core_binary(t, CORE_MUL, k, fold->n);
    }
    fold_items(t, fold, first, last, items);
    for (size_t i = 0; i < fold->parts; i++) {
        places[i] = to_core_add_state(t, steps, "done", start[i]);
        CoreAtom copy = core_let_copy(BUILDER(t), "done", to_core_state(steps, places[i]));
        to_core_set_state(steps, places[i],
                          core_let_update(BUILDER(t), "done", copy, 1, &slice, items[i]));
    }
    to_core_leave_steps(t, steps);
    const CoreAtom *after = to_core_finish_steps(t, steps, count);
    for (size_t i = 0; i < fold->parts; i++) {
        results[i] = after[places[i]];
        if (rank != 1)
            results[i] = core_let_reshape(BUILDER(t), fold->text, results[i], rank, sizes);
    }
}

Value *to_core_translate_fold_in_steps(ToCore *t, const Call *call)
{
    bool reduces = call->builtin == TAIL_OP_REDUCE || call->builtin == TAIL_OP_REDUCE1;
    bool scans = call->builtin == TAIL_OP_SCAN || call->builtin == TAIL_OP_SCAN1;
    if ((!reduces && !scans) || !to_core_one_by_one(t, call->arguments[0]))
        return NULL;
    Fold fold = {.lambda = call->arguments[0], .text = call->text};
    fold.has_neutral = call->builtin == TAIL_OP_REDUCE;
    bool given = fold.has_neutral || call->builtin == TAIL_OP_SCAN;
    if (given)
        to_core_store_parts(t, to_core_argument(t, call, 1), fold.neutral);
    Value *array = to_core_argument(t, call, given ? 2 : 1);
    size_t rank = (size_t)to_core_value_rank(array);
    if (rank == 0)
        return array;
    CoreAtom parts[MOST_PARTS], results[MOST_PARTS];
    fold.parts = to_core_store_parts(t, array, parts);
    CoreType type = core_atom_type(parts[0]);
    fold.n = type.sizes[rank - 1];
    size_t mark = BUILDER(t)->certificates.count;
    if (reduces && !fold.has_neutral)
        to_core_check_not_empty(t, array, (int)rank - 1);
    for (size_t i = 0; i < fold.parts; i++)
        fold.items[i] = to_core_flatten(t, parts[i]);
    if (scans)
        fold_places(t, &fold, true, rank, type.sizes, results);
    else if (rank > 1)
        fold_places(t, &fold, false, rank - 1, type.sizes, results);
    else
        fold_items(t, &fold, core_i64(0), to_core_binary(t, CORE_SUB, fold.n, core_i64(1)),
                   results);
    to_core_unguard(t, mark);
    return to_core_value_parts(t, fold.parts, results);
}
