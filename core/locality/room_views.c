/* Views of arrays of which the device alone knows how many rows they have (capacities.c). Where the rows of such a view stand
   depends on that number, which functions know: they have the view, of the rows that are meant.

       let w : [n] = reverse 0 v             let y : [m] = map m (\i a -> if i < n then
       let y : [n] = map n f v w      ==>                      let u : [n] = v[0 :+ n]
                                                               let w : [n] = reverse 0 u
                                                               let b = w[i]
                                                               in f a b
                                                             else 0) (iota m) v

   What takes the view as a whole takes a copy, with room for all rows. */
#include "core/locality/capacities.h"

bool rooms_is_view(const Bounded *g, CoreAtom array)
{
    return array.name && pointer_map_get(&g->views, array.name);
}

/* A part has no more rows than the array: that bounds it where nothing else does; not what is one in a branch alone. */
static void note_part(Bounded *g, const CoreExp *exp)
{
    const CoreSlice *first = exp->kind == CORE_EXP_SLICE ? &exp->as.slice.slices[0] : NULL;
    if (g->failed || g->branches > 0 || !first || first->fixed ||
        !rooms_is_device(g, first->count) || first->stride.name || first->stride.as.integer == 0) {
        return;
    }
    CoreAtom whole = core_atom_type(exp->as.slice.array).sizes[0];
    rooms_capacity(g, first->count);
    if (g->failed) {
        g->failed = false;
        CoreAtom room = rooms_capacity(g, whole);
        if (!g->failed) {
            Arena *arena = g->c->arena;
            *(CoreAtom *)pointer_map_make(arena, &g->rooms, first->count.name, sizeof room) = room;
            *(CoreAtom *)pointer_map_make(arena, &g->wholes, first->count.name, sizeof whole) =
                whole;
        }
    }
}

void rooms_view(Bounded *g, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    for (int axis = 1; axis < name->type.rank; axis++) {
        g->failed = g->failed || rooms_is_device(g, name->type.sizes[axis]);
    }
    note_part(g, stm->exp);
    pointer_map_set(g->c->arena, &g->views, name, (void *)(uintptr_t)stm);
    if (!rooms_has_device_size(g, name->type)) { /* others read it, too */
        rooms_store(g, core_use(name));
    }
}

/* ---- where they are read ---------------------------------------------------------------------- */

static void show_operand(void *context, CoreAtom atom)
{
    rooms_show(context, atom);
}

CoreAtom rooms_show(RoomsShown *shown, CoreAtom array)
{
    Bounded *g = shown->g;
    const CoreStm *stm = array.name ? pointer_map_get(&g->views, array.name) : NULL;
    CoreAtom known = core_renamed(shown->renaming, array);
    if (known.name != array.name || !array.name) {
        return known;
    }
    if (!stm) {
        CoreAtom whole = rooms_renamed(g, array);
        core_rename(
            shown->renaming, array.name,
            rooms_has_device_size(g, array.name->type)
                ? rooms_rows_there(shown->b, whole, rooms_renamed(g, array.name->type.sizes[0]))
                : whole);
        return core_renamed(shown->renaming, array);
    }
    core_each_operand(stm->exp, show_operand, shown);
    for (int axis = 0; axis < array.name->type.rank; axis++) {
        show_operand(shown, array.name->type.sizes[axis]);
    }
    for (size_t i = 0; i < stm->certificate_count; i++) {
        show_operand(shown, stm->certificates[i]);
    }
    core_add(shown->b, core_rename_stm(shown->renaming, stm));
    return core_renamed(shown->renaming, array);
}

/* By one place either way there is no remainder to take: the index is of one row at least. */
static CoreAtom rotated(RoomsShown *shown, const CoreExp *view, CoreAtom index)
{
    Bounded *g = shown->g;
    CoreBuilder *b = shown->b, there = core_builder(g->c, b->span), none = there;
    CoreAtom amount = rooms_renamed(g, view->as.rotate.amount);
    CoreAtom size = rooms_renamed(g, core_atom_type(view->as.rotate.array).sizes[0]);
    bool back = core_atom_equal(amount, core_i64(-1));
    if (!back && !core_atom_equal(amount, core_i64(1))) {
        amount = core_let_binary(g->b, "k", CORE_MOD, amount, size);
    }
    CoreAtom moved = core_let_binary(b, "moved", CORE_ADD, index, amount);
    CoreAtom round = core_let_binary(b, "round", back ? CORE_ADD : CORE_SUB, moved, size);
    CoreAtom past =
        core_let_binary(b, "past", back ? CORE_LT : CORE_GE, moved, back ? core_i64(0) : size);
    return core_let(
        b, "i", core_scalar(CORE_I64),
        core_exp_if(g->c, past, core_body(&there, 1, &round), core_body(&none, 1, &moved)));
}

CoreAtom rooms_row(RoomsShown *shown, const char *text, CoreAtom array, CoreAtom index)
{
    const CoreStm *stm = pointer_map_get(&shown->g->views, array.name);
    if (stm && stm->exp->kind == CORE_EXP_ROTATE && stm->exp->as.rotate.axis == 0 &&
        stm->certificate_count == 0) {
        return rooms_row(shown, text, stm->exp->as.rotate.array, rotated(shown, stm->exp, index));
    }
    if (stm && stm->exp->kind == CORE_EXP_REVERSE && stm->exp->as.reverse.axis == 0 &&
        stm->certificate_count == 0) {
        CoreAtom size = rooms_renamed(shown->g, array.name->type.sizes[0]);
        CoreAtom last = core_let_binary(shown->b, "last", CORE_SUB, size, core_i64(1));
        CoreAtom other = core_let_binary(shown->b, "i", CORE_SUB, last, index);
        return rooms_row(shown, text, stm->exp->as.reverse.array, other);
    }
    return core_let_index(shown->b, text, rooms_show(shown, array), 1, &index);
}

static void show_inside(void *context, CoreName *name)
{
    RoomsShown *shown = context;
    if (rooms_is_view(shown->g, core_use(name))) {
        core_rename(shown->g->renaming, name, rooms_show(shown, core_use(name)));
    }
}

void rooms_show_free(RoomsShown *shown, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], show_inside, shown);
    }
}

void rooms_element(Bounded *g, const CoreStm *stm)
{
    CoreAtom array = stm->exp->as.index.array;
    RoomsShown shown = {g, g->b, core_renaming(g->c)};
    g->failed = g->failed || stm->pattern[0]->type.rank > 0;
    if (!g->failed) {
        core_rename(g->renaming, array.name, rooms_show(&shown, array));
        core_add(g->b, core_rename_stm(g->renaming, stm));
        core_rename(g->renaming, array.name, array);
    }
}

static void hide(void *context, CoreName *name)
{
    Bounded *g = context;
    if (rooms_is_view(g, core_use(name))) {
        core_rename(g->renaming, name, core_use(name));
    }
}

void rooms_hide_free(Bounded *g, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], hide, g);
    }
}

/* ---- where they are not ----------------------------------------------------------------------- */

void rooms_store(Bounded *g, CoreAtom array)
{
    if (rooms_is_view(g, array) && !g->failed) {
        CoreAtom stored = rooms_or(g, array, core_zero(array.name->type.prim));
        pointer_map_set(g->c->arena, &g->views, array.name, NULL);
        core_rename(g->renaming, array.name, stored);
    }
}

static void store_name(void *context, CoreName *name)
{
    rooms_store(context, core_use(name));
}

void rooms_store_free(Bounded *g, const CoreStm *stm)
{
    core_each_free(stm, store_name, g);
}

void rooms_is_not_stored(Bounded *g, CoreName *view)
{
    pointer_map_set(g->c->arena, &g->views, view, pointer_map_get(&g->own, view));
    core_rename(g->renaming, view, core_use(view));
}
