/* Functions of cells: cells and cells2.

       cells{[a,b],[1,0,1]}(f,m)  ==>  map (\row -> [f] row) m

   A nest of maps over the axes before the cells. All results have one shape, so that its extents
   may only be computed from what is the same for all cells; they are computed in front, too (lift.c).
   Where an extent depends on what is in a cell the call is refused. */
#include "tail/to_core/to_core.h"

enum { MOST_CELLS = 2, MOST_ARRAYS = MOST_CELLS * MOST_PARTS };

/* ---- the extents of results ---------------------------------------------------------- */

/* The results, of a scope that is left, with extents that are known outside; false after a diagnostic
   where these depend on a cell. */
static bool lift_extents(ToCore *t, Scope *scope, unsigned mark, size_t count, CoreAtom *results)
{
    CoreType type = core_atom_type(results[0]);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    bool same = true;
    for (int axis = 0; axis < type.rank; axis++) {
        sizes[axis] = type.sizes[axis];
        if (!sizes[axis].name &&
            sizes[axis].as.integer < 0) { /* asserted inside, but a type outside */
            diagnostics_add(t->c->diagnostics, BUILDER(t)->span, "DOMAIN ERROR",
                            "cells with an extent of %lld", (long long)sizes[axis].as.integer);
            t->failed = true;
        }
    }
    size_t errors = diagnostics_count(t->c->diagnostics);
    if (!to_core_lift(t, scope, mark, (size_t)type.rank, sizes)) {
        if (diagnostics_count(t->c->diagnostics) == errors)
            to_core_unsupported(t, "a function whose result has another shape for each cell");
        return false;
    }
    for (int axis = 0; axis < type.rank; axis++)
        same = same && core_atom_equal(sizes[axis], type.sizes[axis]);
    for (size_t i = 0; i < count && !same; i++) {
        results[i] =
            core_let_reshape(&scope->builder, "same", results[i], (size_t)type.rank, sizes);
    }
    return true;
}

/* ---- the nest ------------------------------------------------------------------------ */

/* let done = loop (done = replicate width fill) for i < width do done with [i] <- what a step gives,
   whose scope is left already; the extents of that are known outside. */
static void loop_cells(ToCore *t, const Call *call, Steps *steps, CoreAtom width, size_t count,
                       const CoreAtom *inner, CoreAtom *results)
{
    size_t places[MOST_PARTS];
    for (size_t i = 0; i < count; i++) {
        CoreType cell = core_atom_type(inner[i]);
        CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, cell.rank + 1);
        CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, cell.rank + 1);
        sizes[0] = width;
        slices[0] = (CoreSlice){true, core_use(steps->index), core_i64(1), core_i64(1)};
        for (int axis = 0; axis < cell.rank; axis++) {
            sizes[axis + 1] = cell.sizes[axis];
            slices[axis + 1] = (CoreSlice){false, core_i64(0), cell.sizes[axis], core_i64(1)};
        }
        size_t rank = (size_t)cell.rank + 1;
        CoreAtom start =
            core_let_replicate(BUILDER(t), "done", rank, sizes, to_core_fill_of(cell.prim));
        CoreBuilder *step = &steps->scope->builder;
        places[i] = to_core_add_state(t, steps, call->text, start);
        CoreAtom copy = core_let_copy(step, "done", to_core_state(steps, places[i]));
        to_core_set_state(steps, places[i],
                          core_let_update(step, "done", copy, rank, slices, inner[i]));
    }
    const CoreAtom *after = to_core_finish_steps(t, steps, width);
    for (size_t i = 0; i < count; i++)
        results[i] = after[places[i]];
}

/* The number of results; 0 after a diagnostic where their extents depend on a cell. `count` arrays: parts of cells. A
   function with effects is applied to one cell after the other. */
static size_t map_cells(ToCore *t, const Call *call, int frame, size_t count,
                        const CoreAtom *arrays, CoreAtom *results)
{
    const TailExp *function = call->arguments[0];
    if (frame == 0)
        return to_core_apply_parts(t, function, arrays, results);
    unsigned mark = t->c->last_number; /* the parameters are the function's own, too */
    CoreName *parameters[MOST_ARRAYS];
    CoreAtom rows[MOST_ARRAYS], inner[MOST_PARTS];
    CoreAtom width = core_atom_type(arrays[0]).sizes[0];
    Steps *steps = to_core_one_by_one(t, function) ? to_core_begin_steps(t, function) : NULL;
    Scope *scope = steps ? steps->scope : to_core_enter_scope(t);
    for (size_t i = 0; i < count; i++) {
        CoreType row = core_row(core_atom_type(arrays[i]));
        const char *text = row.rank ? "row" : "x";
        parameters[i] = core_name(t->c, text, row, BUILDER(t)->span);
        rows[i] = steps ? to_core_element(t, text, arrays[i], core_use(steps->index))
                        : core_use(parameters[i]);
    }
    t->parallel += !steps;
    size_t result_count = map_cells(t, call, frame - 1, count, rows, inner);
    t->parallel -= !steps;
    if (steps)
        to_core_leave_steps(t, steps);
    else
        to_core_leave_scope(t);
    if (result_count == 0 || !lift_extents(t, scope, mark, result_count, inner))
        return 0;
    if (steps) {
        loop_cells(t, call, steps, width, result_count, inner, results);
        return result_count;
    }
    const CoreLambda *lambda =
        core_lambda(t->c, count, parameters, to_core_scope_body(scope, result_count, inner));
    core_let_map(BUILDER(t), call->text, width, count, arrays, lambda, results);
    return result_count;
}

/* The cells' frames have the same extents: LENGTH ERROR where they have not. */
static void agree_frames(ToCore *t, int frame, CoreType x, size_t count, CoreAtom *y)
{
    CoreType type = core_atom_type(y[0]);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        sizes[axis] = axis < frame ? x.sizes[axis] : type.sizes[axis];
        CoreAtom both[2] = {sizes[axis], type.sizes[axis]};
        CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
    }
    for (size_t i = 0; i < count; i++)
        y[i] = to_core_coerce(t, y[i], sizes);
}

Value *to_core_translate_cells(ToCore *t, const Call *call)
{
    if (call->builtin != TAIL_OP_CELLS && call->builtin != TAIL_OP_CELLS2)
        return NULL; /* another file's */
    CoreAtom arrays[MOST_ARRAYS], results[MOST_PARTS];
    size_t count = to_core_store_parts(t, to_core_argument(t, call, 1), arrays), more = 0;
    if (call->builtin == TAIL_OP_CELLS2)
        more = to_core_store_parts(t, to_core_argument(t, call, 2), arrays + count);
    const TailExp *lambda = call->arguments[0];
    int frame = core_atom_type(arrays[0]).rank - (int)tail_rank(lambda->type->items[0]);
    size_t mark = BUILDER(t)->certificates.count;
    if (more > 0)
        agree_frames(t, frame, core_atom_type(arrays[0]), more, arrays + count);
    to_core_prepare_function(t, lambda);
    size_t result_count = map_cells(t, call, frame, count + more, arrays, results);
    to_core_unguard(t, mark);
    if (result_count == 0)
        return to_core_value_dummy(t, call->exp->type);
    return to_core_value_parts(t, result_count, results);
}
