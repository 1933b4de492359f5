/* Branches of the host's share with arrays of which the device alone knows how many rows they have (capacities.c). Both give
   arrays with the same room.

       let (q, w : [q]) = if c then {              let (q, w : [m]) = if c then {
         let u : [n] = map n f v                     let u : [m] = map m (\i x -> if i < n then f x else 0)
         in (n, u)                         ==>                       (iota m) v
       } else {                                      in (n, u)
         in (n, v)                                 } else { in (n, v) }
       }

   Where the device makes the condition, the branches have to be such as it can choose between (branches.c). A branch that leaves
   arrays as they are, beside one that keeps some of their rows, keeps all:

       let (q, w) = if c then { in (n, v) }        let (q, w) = filter n (v) (\x -> if c then (true, x)
         else { filter n (v) (\x -> p, f x) }  ==>                                 else (p, f x)) */
#include "core/locality/capacities.h"
#include "core/fuse/fuse.h"

typedef struct Outside {
    Bounded *g;
    VEC(CoreName *) views; /* of those the branches read */
} Outside;

/* What the branches mention is known outside of them. */
static void look_at(void *context, CoreName *name)
{
    Outside *outside = context;
    Bounded *g = outside->g;
    if (rooms_is_view(g, core_use(name))) {
        vec_push(g->c->arena, &outside->views, name);
    } else if (!g->failed && rooms_is_device(g, core_use(name))) {
        rooms_capacity(g, core_use(name));
        g->failed = false; /* it may be no number of rows */
    }
}

static const CoreBody *branch(Outside *outside, const CoreBody *old)
{
    Bounded *g = outside->g;
    CoreBuilder b = core_builder(g->c, g->b->span), *around = g->b;
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, old->result_count + 1);
    g->b = &b;
    g->branches++;
    for (size_t i = 0; i < old->stm_count && !g->failed; i++) {
        rooms_statement(g, old->stms[i]);
    }
    for (size_t k = 0; k < old->result_count && !g->failed; k++) {
        rooms_store(g, old->results[k]);
    }
    for (size_t k = 0; k < old->result_count; k++) {
        results[k] = rooms_renamed(g, old->results[k]);
    }
    for (size_t i = 0; i < outside->views.count; i++) { /* what was stored, was so in the branch */
        rooms_is_not_stored(g, outside->views.items[i]);
    }
    g->branches--;
    g->b = around;
    return core_body(&b, old->result_count, results);
}

/* Kernels that say whether the loop goes on, and are not started where a branch says so already, take longer there than the
   host waits for them: such loops mostly have few steps. */
static bool is_test(const Bounded *g, const CoreStm *stm)
{
    bool scalars = g->loop->as.loop.condition != NULL;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        scalars = scalars && stm->pattern[k]->type.rank == 0;
    }
    return scalars && rooms_is_device(g, stm->exp->as.conditional.condition);
}

/* The room of the arrays that have so many rows as result k says; false: the branches do not give the same. */
static bool find_room(Bounded *g, const CoreStm *stm, size_t k, const CoreBody *const *fresh)
{
    const CoreName *size = stm->pattern[k];
    CoreAtom room = core_i64(0);
    bool found = false;
    for (size_t j = 0; j < stm->pattern_count; j++) {
        CoreType type = stm->pattern[j]->type;
        if (type.rank == 0 || type.sizes[0].name != size) {
            continue;
        }
        for (int b = 0; b < 2; b++) {
            CoreAtom rows = core_atom_type(fresh[b]->results[j]).sizes[0];
            bool is_own = rows.name && core_binds(fresh[b], rows.name);
            if (is_own || (found && !core_atom_equal(rows, room))) {
                return false;
            }
            room = rows;
            found = true;
        }
    }
    if (found) {
        *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, size, sizeof room) = room;
    }
    return true;
}

/* ---- branches that keep all rows ------------------------------------------------------------ */

/* The statement, its only one, of a branch that filters, and gives what that makes, in its order; NULL: it is none. */
static const CoreStm *only_filter(const CoreBody *branch)
{
    const CoreStm *filter = branch->stm_count == 1 ? branch->stms[0] : NULL;
    bool is = filter && filter->exp->kind == CORE_EXP_FILTER &&
              filter->exp->level == CORE_LEVEL_AUTO && filter->certificate_count == 0 &&
              !core_may_fail(filter) && filter->pattern_count == branch->result_count &&
              fuse_is_of_scalars(filter->exp->as.filter.predicate);
    for (size_t k = 0; is && k < branch->result_count; k++) {
        is = branch->results[k].name == filter->pattern[k];
    }
    return is ? filter : NULL;
}

/* The branch has nothing to do, and gives as many rows as the filter goes through. */
static bool keeps_all(const CoreBody *branch, const CoreStm *filter)
{
    const CoreAtom width = filter->exp->as.filter.width;
    bool all = branch->stm_count == 0 && core_atom_equal(branch->results[0], width);
    for (size_t k = 1; all && k < branch->result_count; k++) {
        CoreType type = core_atom_type(branch->results[k]);
        all = type.rank == 1 && core_atom_equal(type.sizes[0], width);
    }
    return all;
}

/* Inputs of the filter and, behind them, those arrays that are none; the number among these of each array. */
typedef struct Inputs {
    size_t count;
    CoreAtom *arrays;
    size_t *places;
} Inputs;

static Inputs inputs_with(Compilation *c, const CoreExp *filter, size_t count, const CoreAtom *more)
{
    Inputs all = {filter->as.filter.input_count,
                  ARENA_ARRAY(c->arena, CoreAtom, filter->as.filter.input_count + count + 1),
                  ARENA_ARRAY(c->arena, size_t, count + 1)};
    memcpy(all.arrays, filter->as.filter.inputs, all.count * sizeof *all.arrays);
    for (size_t k = 0; k < count; k++) {
        size_t i = 0;
        while (i < all.count && !core_atom_equal(all.arrays[i], more[k])) {
            i++;
        }
        all.places[k] = i;
        all.arrays[i] = more[k];
        all.count += i == all.count;
    }
    return all;
}

/* \x.. -> if all then (true, x..) else (p x.., f x..) */
static const CoreLambda *keep_all_or(Compilation *c, const CoreStm *filter, CoreAtom condition,
                                     bool in_then, const Inputs *inputs)
{
    const CoreLambda *predicate = filter->exp->as.filter.predicate;
    size_t kept = filter->pattern_count - 1;
    Renaming *renaming = core_renaming(c);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, inputs->count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, kept + 1);
    CoreAtom *all = ARENA_ARRAY(c->arena, CoreAtom, kept + 1),
             *some = ARENA_ARRAY(c->arena, CoreAtom, kept + 1),
             *results = ARENA_ARRAY(c->arena, CoreAtom, kept + 1);
    for (size_t i = 0; i < inputs->count; i++) {
        const CoreName *array = inputs->arrays[i].name;
        parameters[i] = core_name(c, array->text, core_scalar(array->type.prim), filter->span);
        if (i < predicate->parameter_count) {
            core_rename(renaming, predicate->parameters[i], core_use(parameters[i]));
        }
    }
    CoreBuilder b = core_builder(c, filter->span), rows = b, none = b;
    const CoreBody *body = core_rename_body(renaming, predicate->body);
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(&rows, body->stms[i]);
    }
    for (size_t k = 0; k <= kept; k++) {
        some[k] = k == 0 || body->result_count > 1 ? body->results[k] : core_use(parameters[k - 1]);
        all[k] = k == 0 ? core_bool(true) : core_use(parameters[inputs->places[k - 1]]);
        pattern[k] = core_name(c, "kept", core_atom_type(some[k]), filter->span);
        results[k] = core_use(pattern[k]);
    }
    const CoreBody *every = core_body(&none, kept + 1, all),
                   *chosen = core_body(&rows, kept + 1, some);
    core_bind(&b, kept + 1, pattern,
              core_exp_if(c, condition, in_then ? every : chosen, in_then ? chosen : every));
    return core_lambda(c, inputs->count, parameters, core_body(&b, kept + 1, results));
}

/* The branches as one filter; NULL: they are not such. */
static const CoreStm *as_filter(Compilation *c, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    const CoreBody *then_body = old->as.conditional.then_body,
                   *else_body = old->as.conditional.else_body;
    bool in_then = then_body->stm_count == 0;
    const CoreBody *all = in_then ? then_body : else_body;
    const CoreStm *filter = only_filter(in_then ? else_body : then_body);
    if (filter == NULL || !keeps_all(all, filter)) {
        return NULL;
    }
    Inputs inputs = inputs_with(c, filter->exp, all->result_count - 1, all->results + 1);
    CoreStm *one = arena_copy(c->arena, stm, sizeof *one);
    one->exp =
        core_exp_filter(c, filter->exp->as.filter.width, inputs.count, inputs.arrays,
                        keep_all_or(c, filter, old->as.conditional.condition, in_then, &inputs));
    return one;
}

/* ---- branches ---------------------------------------------------------------------------------- */

void rooms_branches(Bounded *g, const CoreStm *stm)
{
    Compilation *c = g->c;
    const CoreExp *old = stm->exp;
    Outside outside = {.g = g};
    if (is_test(g, stm)) {
        g->failed = true;
        return;
    }
    const CoreStm *one =
        rooms_is_device(g, old->as.conditional.condition) ? as_filter(c, stm) : NULL;
    for (size_t k = 0; one != NULL && k < stm->pattern_count; k++) {
        pointer_map_set(c->arena, &g->own, stm->pattern[k], (void *)(uintptr_t)one);
    }
    if (one != NULL) {
        rooms_statement(g, one);
        return;
    }
    core_each_free(stm, look_at, &outside);
    const CoreBody *fresh[] = {branch(&outside, old->as.conditional.then_body),
                               branch(&outside, old->as.conditional.else_body)};
    for (size_t k = 0; k < stm->pattern_count && !g->failed; k++) {
        g->failed = !find_room(g, stm, k, fresh);
    }
    if (g->failed) {
        return;
    }
    CoreExp *exp = core_exp_copy(
        c, core_exp_if(c, rooms_renamed(g, old->as.conditional.condition), fresh[0], fresh[1]));
    exp->level = old->level;
    const CoreStm *bound = rooms_bind(g, stm, exp);
    CoreBuilder none = core_builder(c, stm->span);
    g->failed = g->failed || (rooms_is_device(g, old->as.conditional.condition) &&
                              !device_may_choose(c, core_body(&none, 0, NULL), bound));
}
