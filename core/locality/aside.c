/* What a map needs of a vector again and again is set aside: copied in front of it.

       let c = a[r, k]                                  let c = a[r, k]
       let rows = replicate [m] c                       let d = copy c
       let v = map m (\row .. -> ..) rows ..    ==>     let rows = replicate [m] d
                                                        let v = map m (\row .. -> ..) rows ..

   A column that each row of a result needs is read by strides, for each of them: in sequential programs its copy is much the
   less. And what a map reads of the block that it is to write stands in its way; where that has fewer axes than the block, as
   a column of it, in_place.c has it set aside.

   Before, after: as in_place.c. */
#include "core/locality/in_place.h"

enum { FEW_ROWS = 8, MOST_VIEWS = 16 };

CoreAtom aside_source(const InPlace *p, CoreAtom view)
{
    for (int fuel = MOST_VIEWS; fuel > 0; fuel--) {
        const CoreStm *stm = in_place_binder(p, view);
        if (stm && stm->exp->kind == CORE_EXP_REPLICATE) {
            view = stm->exp->as.replicate.value;
        } else if (stm && stm->exp->kind == CORE_EXP_REARRANGE) {
            view = stm->exp->as.rearrange.array;
        } else {
            break;
        }
    }
    return view;
}

void aside_add(InPlace *p, Sources *sources, CoreAtom source)
{
    bool is_new = true;
    for (size_t k = 0; k < sources->count; k++) {
        is_new = is_new && !core_atom_equal(sources->items[k], source);
    }
    if (is_new) {
        vec_push(p->c->scratch, sources, source);
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

typedef struct Aside {
    InPlace *p;
    CoreBuilder *b;
    const Sources *sources;
    CoreAtom *copies;
    Renaming *renaming; /* of what the map reads */
} Aside;

/* The view of a copy that is to that what this one is to its source; itself, where nothing of it was copied. */
static CoreAtom view_of_copy(const Aside *aside, CoreAtom view)
{
    for (size_t k = 0; k < aside->sources->count; k++) {
        if (core_atom_equal(view, aside->sources->items[k])) {
            return aside->copies[k];
        }
    }
    const CoreStm *stm = in_place_binder(aside->p, view);
    const CoreExp *exp = stm ? stm->exp : NULL;
    if (exp && exp->kind == CORE_EXP_REPLICATE && exp->as.replicate.value.name) {
        CoreAtom value = view_of_copy(aside, exp->as.replicate.value);
        return core_atom_equal(value, exp->as.replicate.value)
                   ? view
                   : core_let_replicate(aside->b, view.name->text, exp->as.replicate.count,
                                        exp->as.replicate.sizes, value);
    }
    if (exp && exp->kind == CORE_EXP_REARRANGE) {
        CoreAtom array = view_of_copy(aside, exp->as.rearrange.array);
        return core_atom_equal(array, exp->as.rearrange.array)
                   ? view
                   : core_let_rearrange(aside->b, view.name->text, array,
                                        exp->as.rearrange.permutation);
    }
    return view;
}

static void rename_view(void *context, CoreName *name)
{
    Aside *aside = context;
    CoreAtom other = name->type.rank > 0 ? view_of_copy(aside, core_use(name)) : core_use(name);
    if (other.name != name) {
        core_rename(aside->renaming, name, other);
    }
}

const CoreStm *aside_put(InPlace *p, CoreBuilder *b, const CoreStm *map, const Sources *sources)
{
    if (sources->count == 0) {
        return map;
    }
    Compilation *c = p->c;
    Aside aside = {.p = p,
                   .b = b,
                   .sources = sources,
                   .copies = ARENA_ARRAY(c->arena, CoreAtom, sources->count),
                   .renaming = core_renaming(c)};
    b->span = map->span;
    for (size_t k = 0; k < sources->count; k++) {
        const CoreAtom source = sources->items[k];
        aside.copies[k] = core_let_copy(b, source.name->text, source);
    }
    core_each_free(map, rename_view, &aside);
    CoreStm *other = arena_copy(c->arena, map, sizeof *map);
    other->exp = core_rename_stm(aside.renaming, map)->exp;
    return other;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Its elements do not lie side by side in the array in memory that it is a vector of. */
static bool is_strided(const InPlace *p, CoreAtom vector)
{
    int axis = 0;
    for (int fuel = MOST_VIEWS; fuel > 0; fuel--) {
        const CoreStm *stm = in_place_binder(p, vector);
        const CoreExp *exp = stm ? stm->exp : NULL;
        switch (exp ? (int)exp->kind : -1) { /* views whose axes are the array's */
        case CORE_EXP_ATOM: vector = exp->as.atom; continue;
        case CORE_EXP_INDEX:
            axis += (int)exp->as.index.count;
            vector = exp->as.index.array;
            continue;
        case CORE_EXP_REARRANGE:
            axis = exp->as.rearrange.permutation[axis];
            vector = exp->as.rearrange.array;
            continue;
        case CORE_EXP_SLICE:
            for (int left = axis, k = 0; left >= 0; k++) {
                axis = k;
                left -= !exp->as.slice.slices[k].fixed;
            }
            vector = exp->as.slice.array;
            continue;
        }
        break;
    }
    return axis + 1 < vector.name->type.rank;
}

static bool is_column(const InPlace *p, CoreAtom vector)
{
    return vector.name && vector.name->type.rank == 1 && is_strided(p, vector);
}

typedef struct Columns {
    InPlace *p;
    Sources *sources;
} Columns;

/* What SOACs inside go over. */
static void find_inside(void *context, const CoreBody *body)
{
    const Columns *columns = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        for (size_t k = 0; exp->kind == CORE_EXP_SOAC && k < exp->as.soac.input_count; k++) {
            if (is_column(columns->p, exp->as.soac.inputs[k])) {
                aside_add(columns->p, columns->sources, exp->as.soac.inputs[k]);
            }
        }
        core_each_body(exp, find_inside, context);
    }
}

void aside_columns(InPlace *p, const CoreStm *stm, Sources *sources)
{
    const CoreSoac *map = &stm->exp->as.soac;
    Columns columns = {p, sources};
    if (stm->exp->kind != CORE_EXP_SOAC || stm->exp->level != CORE_LEVEL_AUTO ||
        (!map->width.name && map->width.as.integer < FEW_ROWS)) {
        return;
    }
    for (size_t k = 0; k < map->input_count; k++) {
        const CoreStm *rows = in_place_binder(p, map->inputs[k]);
        if (rows && rows->exp->kind == CORE_EXP_REPLICATE && rows->exp->as.replicate.count == 1 &&
            is_column(p, rows->exp->as.replicate.value)) {
            aside_add(p, sources, rows->exp->as.replicate.value);
        }
    }
    core_each_body(stm->exp, find_inside, &columns);
}
