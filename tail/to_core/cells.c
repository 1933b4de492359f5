/* Functions of cells: cells and cells2.

       cells{[a,b],[1,0,1]}(f,m)  ==>  map (\row -> [f] row) m

   A nest of maps over the axes before the cells. All results have one shape, so that its extents
   may only be computed from what is the same for all cells; such computations are moved in front.
   Where an extent depends on what is in a cell the call is refused. */
#include "tail/to_core/to_core.h"

enum { MOST_CELLS = 2, MOST_ARRAYS = MOST_CELLS * MOST_PARTS };

/* ---- the extents of results ---------------------------------------------------------- */

/* The statement of this scope that binds the name; the number of statements where there is none. */
static size_t binder_of(const Scope *scope, const CoreName *name)
{
    for (size_t i = scope->builder.stms.count; i-- > 0;) {
        const CoreStm *stm = scope->builder.stms.items[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k] == name)
                return i;
        }
    }
    return scope->builder.stms.count;
}

static bool is_scalar_operation(const CoreStm *stm)
{
    CoreExpKind kind = stm->exp->kind;
    return stm->certificate_count == 0 && (kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY ||
                                           kind == CORE_EXP_BINARY || kind == CORE_EXP_CONVERT);
}

typedef struct Wanted {
    const Scope *scope;
    unsigned mark; /* the function's names, its parameters' too, have greater numbers */
    bool *taken;   /* which of its statements are wanted outside */
    bool fits;
} Wanted;

static void want(void *context, CoreAtom atom)
{
    Wanted *wanted = context;
    if (!atom.name || atom.name->number <= wanted->mark || !wanted->fits)
        return;
    size_t place = binder_of(wanted->scope, atom.name);
    if (place == wanted->scope->builder.stms.count ||
        !is_scalar_operation(wanted->scope->builder.stms.items[place])) {
        wanted->fits = false;
        return;
    }
    if (!wanted->taken[place]) {
        wanted->taken[place] = true;
        core_each_operand(wanted->scope->builder.stms.items[place]->exp, want, wanted);
    }
}

/* Moves what computes the extents from the scope to the present one; false where that depends on a
   cell. */
static bool move_extents(ToCore *t, Scope *scope, unsigned mark, CoreType type)
{
    size_t count = scope->builder.stms.count, kept = 0;
    Wanted wanted = {scope, mark, ARENA_ARRAY(t->c->arena, bool, count + 1), true};
    for (int axis = 0; axis < type.rank; axis++) {
        CoreAtom size = type.sizes[axis];
        if (!size.name && size.as.integer < 0) { /* asserted inside, but a type outside */
            diagnostics_add(t->c->diagnostics, BUILDER(t)->span, "DOMAIN ERROR",
                            "cells with an extent of %lld", (long long)size.as.integer);
            t->failed = true;
        }
        want(&wanted, size);
    }
    if (!wanted.fits)
        return false;
    for (size_t i = 0; i < count; i++) {
        const CoreStm *stm = scope->builder.stms.items[i];
        if (wanted.taken[i])
            core_add(BUILDER(t), stm);
        else
            scope->builder.stms.items[kept++] = stm;
    }
    scope->builder.stms.count = kept;
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

/* The number of results; 0 where their extents depend on a cell. `count` arrays: parts of cells. A
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
    t->cells++;
    size_t result_count = map_cells(t, call, frame - 1, count, rows, inner);
    t->cells--;
    t->parallel -= !steps;
    if (steps)
        to_core_leave_steps(t, steps);
    else
        to_core_leave_scope(t);
    if (result_count == 0 || !move_extents(t, scope, mark, core_atom_type(inner[0])))
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
    if (result_count == 0) {
        to_core_unsupported(t, "a function whose result has another shape for each cell");
        return to_core_value_dummy(t, call->exp->type);
    }
    return to_core_value_parts(t, result_count, results);
}
