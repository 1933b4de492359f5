/* Branches of the host's share with arrays of which the device alone knows how many rows they have (capacities.c). Both give
   arrays with the same room.

       let (q, w : [q]) = if c then {              let (q, w : [m]) = if c then {
         let u : [n] = map n f v                     let u : [m] = map m (\i x -> if i < n then f x else 0)
         in (n, u)                         ==>                       (iota m) v
       } else {                                      in (n, u)
         in (n, v)                                 } else { in (n, v) }
       }

   Where the device makes the condition, the branches have to be such as it can choose between (branches.c). */
#include "core/locality/capacities.h"

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

void rooms_branches(Bounded *g, const CoreStm *stm)
{
    Compilation *c = g->c;
    const CoreExp *old = stm->exp;
    Outside outside = {.g = g};
    if (is_test(g, stm)) {
        g->failed = true;
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
