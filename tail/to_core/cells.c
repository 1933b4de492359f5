/* Functions of cells: cells and cells2.

       cells{[a,b],[1,0,1]}(f,m)  ==>  map (\row -> [f] row) m

   A nest of maps over the axes before the cells. All results have one shape, so that its extents
   may only be computed from what is the same for all cells; such computations are moved in front.
   Where an extent depends on what is in a cell the call is refused. */
#include "tail/to_core/to_core.h"

enum { MOST_CELLS = 2 };

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

static bool map_cells(ToCore *t, const Call *call, int frame, size_t count, const CoreAtom *arrays,
                      CoreAtom *result)
{
    if (frame == 0) {
        Value *values[MOST_CELLS];
        for (size_t i = 0; i < count; i++)
            values[i] = to_core_value_atom(t, arrays[i]);
        *result = to_core_store(t, to_core_apply(t, call->arguments[0], count, values));
        return true;
    }
    unsigned mark = t->c->last_number; /* the parameters are the function's own, too */
    CoreName *parameters[MOST_CELLS];
    CoreAtom rows[MOST_CELLS], inner;
    CoreAtom width = core_atom_type(arrays[0]).sizes[0];
    for (size_t i = 0; i < count; i++) {
        CoreType row = core_row(core_atom_type(arrays[i]));
        parameters[i] = core_name(t->c, row.rank ? "row" : "x", row, BUILDER(t)->span);
        rows[i] = core_use(parameters[i]);
    }
    Scope *scope = to_core_enter_scope(t);
    t->parallel++;
    bool fits = map_cells(t, call, frame - 1, count, rows, &inner);
    t->parallel--;
    to_core_leave_scope(t);
    if (!fits || !move_extents(t, scope, mark, core_atom_type(inner)))
        return false;
    const CoreLambda *lambda =
        core_lambda(t->c, count, parameters, to_core_scope_body(scope, 1, &inner));
    core_let_map(BUILDER(t), call->text, width, count, arrays, lambda, result);
    return true;
}

Value *to_core_translate_cells(ToCore *t, const Call *call)
{
    if (call->builtin != TAIL_OP_CELLS && call->builtin != TAIL_OP_CELLS2)
        return NULL; /* another file's */
    size_t count = call->builtin == TAIL_OP_CELLS ? 1 : 2;
    CoreAtom arrays[MOST_CELLS], result;
    for (size_t i = 0; i < count; i++)
        arrays[i] = to_core_argument_atom(t, call, i + 1);
    const TailExp *lambda = call->arguments[0];
    int frame = core_atom_type(arrays[0]).rank - (int)tail_rank(lambda->type->items[0]);
    size_t mark = BUILDER(t)->certificates.count;
    for (int axis = 0; count == 2 && axis < frame; axis++) {
        CoreAtom both[2] = {core_atom_type(arrays[0]).sizes[axis],
                            core_atom_type(arrays[1]).sizes[axis]};
        CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
    }
    if (count == 2) {
        CoreType type = core_atom_type(arrays[1]);
        CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
        for (int axis = 0; axis < type.rank; axis++)
            sizes[axis] = axis < frame ? core_atom_type(arrays[0]).sizes[axis] : type.sizes[axis];
        arrays[1] = to_core_coerce(t, arrays[1], sizes);
    }
    to_core_prepare_function(t, lambda);
    bool fits = map_cells(t, call, frame, count, arrays, &result);
    to_core_unguard(t, mark);
    if (!fits) {
        to_core_unsupported(t, "a function whose result has another shape for each cell");
        return to_core_value_dummy(t, call->exp->type);
    }
    return to_core_value_atom(t, result);
}
