/* Builtins that replace items; arrays are values, so that the array before stays what it was.

       update(3,[i,j],x,a)   ==>  let b = copy a
                                  let b' = <c_i, c_j> b with [i-1, j-1] <- x
       put([f,g],[m,n],[1,2],x,a)  ==>  let b = copy a
                                  let b' = <c_f, c_g> b with [f-1 :+ m * 1, g-1 :+ n * 2] <- x    , x : [m][n]
       assign(is,vs,v)       ==>  let owners = hist max (copy (replicate n -1)) (is-1) (iota k)
                                  map (\old owner -> if owner < 0 then old else vs[owner]) v owners
       assignS(is,x,v)       ==>  scatter (copy v) (is-1) (replicate k x)
       assign(is,vs,v)       ==>  scatter (copy v) (is-1) vs    where no position stands twice; where that is asked at
                                  run time (distinct.c), an if of both

   The copy goes where nothing else uses the array ([L0] 3): then an update costs what it writes.
   Where positions coincide the last value wins, as if one were assigned after the other. */
#include "tail/to_core/to_core.h"

/* ---- update -------------------------------------------------------------------------------- */

/* The k-th of the positions, as i64. */
static CoreAtom position_at(ToCore *t, Value *positions, int k)
{
    CoreAtom position;
    if (positions->has_components) {
        position = positions->components[k];
    } else {
        CoreAtom place = core_i64(k);
        position = core_let_index(BUILDER(t), "i", to_core_store(t, positions), 1, &place);
    }
    return to_core_convert(t, CORE_I64, position);
}

/* A position for each axis that the mask has, an axis of the values for each other. */
static bool fits_together(int64_t fixed, const Value *positions, int value_rank, int rank)
{
    int64_t count = positions->has_components ? (int64_t)positions->count : -1;
    if (count < 0 && !core_atom_type(positions->atom).sizes[0].name) {
        count = core_atom_type(positions->atom).sizes[0].as.integer;
    }
    return fixed >= 0 && rank < 63 && fixed >> rank == 0 &&
           __builtin_popcountll((unsigned long long)fixed) == count && value_rank + count == rank;
}

static Value *translate_update(ToCore *t, const Call *call)
{
    int64_t fixed = call->arguments[0]->type->shape.constant;
    Value *positions = to_core_argument(t, call, 1);
    CoreAtom value = to_core_argument_atom(t, call, 2), array = to_core_argument_atom(t, call, 3);
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank + 1);
    CoreAtom *rest = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    if (!fits_together(fixed, positions, core_atom_type(value).rank, type.rank)) {
        to_core_refuse(t, "LENGTH ERROR", "positions and values of update do not fit its array");
        return to_core_value_dummy(t, call->exp->type);
    }
    CoreAtom copy = core_let_copy(BUILDER(t), call->text, array);
    int given = 0, open = 0;
    size_t mark = BUILDER(t)->certificates.count;
    for (int axis = 0; axis < type.rank; axis++) {
        if ((fixed >> axis & 1) == 0) {
            slices[axis] = (CoreSlice){false, core_i64(0), type.sizes[axis], core_i64(1)};
            rest[open++] = type.sizes[axis];
            continue;
        }
        CoreAtom index = position_at(t, positions, given++);
        to_core_guard(t, to_core_check_index(t, index, type.sizes[axis]));
        slices[axis] = (CoreSlice){true, to_core_binary(t, CORE_SUB, index, core_i64(1)),
                                   core_i64(0), core_i64(0)};
    }
    for (int axis = 0; axis < open; axis++) {
        CoreAtom both[2] = {core_atom_type(value).sizes[axis], rest[axis]};
        CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
    }
    if (open > 0) {
        value = to_core_coerce(t, value, rest);
    }
    CoreAtom result =
        core_let_update(BUILDER(t), call->text, copy, (size_t)type.rank, slices, value);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* ---- put ----------------------------------------------------------------------------------- */

CoreAtom to_core_check_block(ToCore *t, CoreAtom first, CoreAtom count, int64_t step,
                             CoreAtom extent)
{
    CoreAtom low = to_core_binary(t, CORE_GE, first, core_i64(1));
    CoreAtom high = to_core_binary(t, CORE_LE, first, extent);
    CoreAtom begins = to_core_binary(t, CORE_AND, low, high);
    CoreAtom room = to_core_binary(t, CORE_SUB, extent, first);
    CoreAtom more =
        to_core_binary(t, CORE_DIV, room, core_i64(step)); /* positions behind the first */
    CoreAtom last = to_core_binary(t, CORE_SUB, count, core_i64(1));
    CoreAtom ends = to_core_binary(t, CORE_LE, last, more);
    CoreAtom fits = to_core_binary(t, CORE_AND, begins, ends);
    CoreAtom none = to_core_binary(t, CORE_LE, count, core_i64(0));
    /* the first one, or behind all that are in the array; by arithmetic, which leaves loops */
    CoreAtom steps = to_core_binary(t, CORE_ADD, more, core_i64(1));
    CoreAtom further = to_core_binary(t, CORE_MUL, steps, core_i64(step));
    further = to_core_binary(t, CORE_MUL, further, to_core_convert(t, CORE_I64, begins));
    CoreAtom pair[2] = {to_core_binary(t, CORE_ADD, first, further), extent};
    if (t->c->index_origin == 0) {
        pair[0] = to_core_binary(t, CORE_SUB, pair[0], core_i64(1));
    }
    return to_core_require(t, to_core_binary(t, CORE_OR, none, fits), CORE_INDEX_ERROR, "{} of {}",
                           2, pair);
}

/* Axes at which one position is meant are fixed, and no axes of the value's, but for the last one if there is no other. */
static CoreAtom without_single_axes(ToCore *t, CoreAtom value, CoreSlice *slices)
{
    CoreType type = core_atom_type(value);
    size_t left = 0;
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        bool only = left == 0 && axis == type.rank - 1;
        if (!only && core_atom_equal(slices[axis].count, core_i64(1))) {
            slices[axis] = (CoreSlice){.fixed = true,
                                       .offset = slices[axis].offset,
                                       .count = core_i64(0),
                                       .stride = core_i64(0)};
        } else {
            sizes[left++] = type.sizes[axis];
        }
    }
    return (int)left == type.rank ? value
                                  : core_let_reshape(BUILDER(t), "value", value, left, sizes);
}

static Value *translate_put(ToCore *t, const Call *call)
{
    Value *firsts = to_core_argument(t, call, 0), *counts = to_core_argument(t, call, 1);
    Value *steps = to_core_argument(t, call, 2);
    CoreAtom value = to_core_argument_atom(t, call, 3), array = to_core_argument_atom(t, call, 4);
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank + 1);
    CoreAtom *shape = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    CoreAtom copy = core_let_copy(BUILDER(t), call->text, array);
    size_t mark = BUILDER(t)->certificates.count;
    for (int axis = type.rank; axis-- > 0;) {
        CoreAtom first = position_at(t, firsts, axis), step = position_at(t, steps, axis);
        CoreAtom both[2] = {core_atom_type(value).sizes[axis], position_at(t, counts, axis)};
        if (step.name || step.as.integer < 1) {
            to_core_refuse(t, "DOMAIN ERROR", "steps of put are constants, and at least 1");
            return to_core_value_dummy(t, call->exp->type);
        }
        CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
        shape[axis] = both[1];
        to_core_guard(
            t, to_core_check_block(t, first, shape[axis], step.as.integer, type.sizes[axis]));
        slices[axis] =
            (CoreSlice){false, to_core_binary(t, CORE_SUB, first, core_i64(1)), shape[axis], step};
    }
    value = without_single_axes(t, to_core_coerce(t, value, shape), slices);
    CoreAtom result =
        core_let_update(BUILDER(t), call->text, copy, (size_t)type.rank, slices, value);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* ---- assign -------------------------------------------------------------------------------- */

static CoreName *parameter(ToCore *t, const char *text, CoreType type)
{
    return core_name(t->c, text, type, BUILDER(t)->span);
}

CoreAtom to_core_checked_position(ToCore *t, CoreAtom index, CoreAtom extent)
{
    CoreAtom wide = to_core_convert(t, CORE_I64, index);
    size_t mark = to_core_guard(t, to_core_check_index(t, wide, extent));
    CoreAtom position = core_let_binary(BUILDER(t), "position", CORE_SUB, wide, core_i64(1));
    to_core_unguard(t, mark);
    return position;
}

static size_t check_position(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    results[0] = to_core_checked_position(t, rows[0], *(const CoreAtom *)context);
    return 1;
}

CoreAtom to_core_checked_positions(ToCore *t, CoreAtom indices, CoreAtom extent)
{
    CoreAtom result;
    t->text = "positions";
    to_core_map_nest(t, 1, 1, &indices, check_position, &extent, &result);
    return result;
}

/* For each of n items, the number of the last value that is meant for it; -1 where there is none.
 */
static CoreAtom last_owners(ToCore *t, CoreAtom n, CoreAtom count, CoreAtom positions)
{
    CoreAtom none = core_let_replicate(BUILDER(t), "none", 1, &n, core_i64(-1));
    CoreAtom owners = core_let_copy(BUILDER(t), "owners", none);
    CoreAtom numbers = core_let_iota(BUILDER(t), "numbers", count), neutral = core_i64(-1);
    const CoreLambda *latest = core_operator_lambda(t->c, CORE_MAX, CORE_I64, BUILDER(t)->span);
    const CoreExp *hist =
        core_exp_hist(t->c, count, 1, &owners, positions, &numbers, latest, &neutral);
    return core_let(BUILDER(t), "owners", core_atom_type(owners), hist);
}

/* map (\old owner -> if owner < 0 then old else values[owner]) array owners */
static CoreAtom take_owned(ToCore *t, const char *text, CoreAtom array, CoreAtom owners,
                           CoreAtom values)
{
    CoreType type = core_atom_type(array);
    CoreName *parameters[2] = {parameter(t, "old", core_scalar(type.prim)),
                               parameter(t, "owner", core_scalar(CORE_I64))};
    CoreAtom old = core_use(parameters[0]), owner = core_use(parameters[1]);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom stays = to_core_binary(t, CORE_LT, owner, core_i64(0));
    Scope *same = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *other = to_core_enter_scope(t);
    CoreAtom taken = core_let_index(BUILDER(t), "value", values, 1, &owner);
    to_core_leave_scope(t);
    const CoreExp *choice = core_exp_if(t->c, stays, to_core_scope_body(same, 1, &old),
                                        to_core_scope_body(other, 1, &taken));
    CoreAtom item = core_let(BUILDER(t), "item", core_scalar(type.prim), choice);
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &item));
    CoreAtom result;
    core_let_map(BUILDER(t), text, type.sizes[0], 2, (CoreAtom[]){array, owners}, lambda, &result);
    return result;
}

static CoreAtom scatter(ToCore *t, const char *text, CoreAtom array, CoreAtom count,
                        CoreAtom positions, CoreAtom values)
{
    CoreAtom copy = core_let_copy(BUILDER(t), text, array);
    return core_let(BUILDER(t), text, core_atom_type(array),
                    core_exp_scatter(t->c, count, 1, &copy, positions, &values));
}

/* An assignment of items at positions. */
typedef struct Assign {
    const char *text;
    CoreAtom n, count, positions; /* of the array; of the positions, which have been checked */
    size_t part_count;
    CoreAtom values[MOST_PARTS], parts[MOST_PARTS];
} Assign;

static void assign_each_once(ToCore *t, const Assign *a, CoreAtom *results)
{
    for (size_t i = 0; i < a->part_count; i++) {
        results[i] = scatter(t, a->text, a->parts[i], a->count, a->positions, a->values[i]);
    }
}

static void assign_last(ToCore *t, const Assign *a, CoreAtom *results)
{
    CoreAtom owners = last_owners(t, a->n, a->count, a->positions);
    for (size_t i = 0; i < a->part_count; i++) {
        results[i] = take_owned(t, a->text, a->parts[i], owners, a->values[i]);
    }
}

typedef void AssignWay(ToCore *t, const Assign *a, CoreAtom *results);

static const CoreBody *assign_body(ToCore *t, const Assign *a, AssignWay *way)
{
    CoreAtom results[MOST_PARTS];
    Scope *scope = to_core_enter_scope(t);
    way(t, a, results);
    to_core_leave_scope(t);
    return to_core_scope_body(scope, a->part_count, results);
}

static void assign_as_asked(ToCore *t, const Assign *a, CoreAtom differ, CoreAtom *results)
{
    CoreName *pattern[MOST_PARTS];
    const CoreBody *once = assign_body(t, a, assign_each_once),
                   *last = assign_body(t, a, assign_last);
    for (size_t i = 0; i < a->part_count; i++) {
        pattern[i] = core_name(t->c, a->text, core_atom_type(a->parts[i]), BUILDER(t)->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(BUILDER(t), a->part_count, pattern, core_exp_if(t->c, differ, once, last));
}

static Value *translate_assign(ToCore *t, const Call *call)
{
    CoreAtom indices = to_core_argument_atom(t, call, 0), results[MOST_PARTS], differ;
    Assign a = {.text = call->text, .count = core_atom_type(indices).sizes[0]};
    to_core_store_parts(t, to_core_argument(t, call, 1), a.values);
    a.part_count = to_core_store_parts(t, to_core_argument(t, call, 2), a.parts);
    a.n = core_atom_type(a.parts[0]).sizes[0];
    CoreAtom both[2] = {core_atom_type(a.values[0]).sizes[0], a.count};
    CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
    size_t mark =
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
    a.positions = to_core_checked_positions(t, indices, a.n);
    for (size_t i = 0; i < a.part_count; i++) {
        a.values[i] = to_core_coerce(t, a.values[i], &a.count);
    }
    if (to_core_positions_differ(t, indices)) {
        assign_each_once(t, &a, results);
    } else if (t->parallel == 0 && to_core_ask_positions_differ(t, indices, &differ)) {
        assign_as_asked(t, &a, differ, results);
    } else {
        assign_last(t, &a, results);
    }
    to_core_unguard(t, mark);
    return to_core_value_parts(t, a.part_count, results);
}

/* The same value everywhere: it does not matter which of them is the last at a position. */
static Value *translate_assign_scalar(ToCore *t, const Call *call)
{
    CoreAtom indices = to_core_argument_atom(t, call, 0), count = core_atom_type(indices).sizes[0];
    CoreAtom values[MOST_PARTS], parts[MOST_PARTS], results[MOST_PARTS];
    to_core_store_parts(t, to_core_argument(t, call, 1), values);
    size_t part_count = to_core_store_parts(t, to_core_argument(t, call, 2), parts);
    CoreAtom n = core_atom_type(parts[0]).sizes[0],
             positions = to_core_checked_positions(t, indices, n);
    for (size_t i = 0; i < part_count; i++) {
        CoreAtom items = core_let_replicate(BUILDER(t), "value", 1, &count, values[i]);
        results[i] = scatter(t, call->text, parts[i], count, positions, items);
    }
    return to_core_value_parts(t, part_count, results);
}

Value *to_core_translate_assign(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_UPDATE: return translate_update(t, call);
    case TAIL_OP_PUT: return translate_put(t, call);
    case TAIL_OP_ASSIGN: return translate_assign(t, call);
    case TAIL_OP_ASSIGNS: return translate_assign_scalar(t, call);
    default: return NULL; /* another file's */
    }
}
