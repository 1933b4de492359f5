/* Arrays that grow in each step of a loop, by no more rows than the host knows (capacities.c).

       loop (n = n0, v : [n] = v0) for i < k do          loop (n = n0, v : [m] = pad v0) for i < k do
         let (p, w : [p]) = filter c .. x          ==>     let (p, w : [c]) = compact c .. x
         let q = n + p                                     let q = n + p
         let u : [q] = concat v w                          let u : [m] = (concat v w)[..]
         in (q, u)                                         in (q, u)           where m = n0 + k * c

   After k steps there are m rows at most, so that there is room for all of them from the beginning on. */
#include "core/locality/capacities.h"

enum {
    MOST_DEPTH = 100,  /* of arithmetic that a number of rows is followed through */
    MOST_LOOKED = 1000 /* numbers on the way, some of which are looked at again and again */
};

/* The same number in all steps. */
static bool is_invariant(const Bounded *g, CoreAtom atom)
{
    bool outside =
        !atom.name || (!pointer_map_get(&g->own, atom.name) && atom.name != g->loop->as.loop.index);
    for (size_t k = 0; k < g->loop->as.loop.parameter_count; k++) {
        outside = outside && atom.name != g->loop->as.loop.parameters[k];
    }
    return outside;
}

/* There have not been too many on the way. */
static bool look(Growth *growth, unsigned depth)
{
    return depth < MOST_DEPTH && growth->looked++ < MOST_LOOKED;
}

static bool add(Growth *growth, CoreAtom rows)
{
    if (!rows.name && rows.as.integer <= 0) {
        return true;
    }
    if (growth->count == ROOMS_MOST_ADDED) {
        return false;
    }
    growth->added[growth->count++] = rows;
    return true;
}

/* So many rows are no more than what is added to the growth. */
static bool is_at_most(const Bounded *g, CoreAtom size, Growth *growth, unsigned depth)
{
    const CoreStm *stm = rooms_maker(g, size);
    if (is_invariant(g, size)) {
        return add(growth, size);
    }
    if (!stm || !look(growth, depth)) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    switch ((int)stm->exp->kind) { /* the others are not bounded by what they are made of */
    case CORE_EXP_FILTER:
        return stm->pattern[0] == size.name &&
               is_at_most(g, stm->exp->as.filter.width, growth, depth + 1);
    case CORE_EXP_ATOM: return is_at_most(g, stm->exp->as.atom, growth, depth + 1);
    case CORE_EXP_BINARY: break;
    default: return false;
    }
    const size_t before = growth->count;
    switch ((int)stm->exp->as.scalar.op) {
    case CORE_ADD:
        return is_at_most(g, x, growth, depth + 1) && is_at_most(g, y, growth, depth + 1);
    case CORE_MIN:
        if (is_at_most(g, x, growth, depth + 1)) {
            return true;
        }
        growth->count = before;
        return is_at_most(g, y, growth, depth + 1);
    }
    return false;
}

/* So many rows are no more than those of the state and what is added to the growth. */
static bool grows(const Bounded *g, CoreAtom size, const CoreName *state, Growth *growth,
                  unsigned depth)
{
    const CoreStm *stm = rooms_maker(g, size);
    if (size.name == state) {
        return true;
    }
    if (!stm || !look(growth, depth)) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    const size_t before = growth->count;
    switch ((int)stm->exp->kind) { /* the others are no sums */
    case CORE_EXP_FILTER:
        return stm->pattern[0] == size.name &&
               grows(g, stm->exp->as.filter.width, state, growth, depth + 1);
    case CORE_EXP_ATOM: return grows(g, stm->exp->as.atom, state, growth, depth + 1);
    case CORE_EXP_BINARY: break;
    default: return false;
    }
    if (stm->exp->as.scalar.op != CORE_ADD) {
        return false;
    }
    if (grows(g, x, state, growth, depth + 1) && is_at_most(g, y, growth, depth + 1)) {
        return true;
    }
    growth->count = before;
    return grows(g, y, state, growth, depth + 1) && is_at_most(g, x, growth, depth + 1);
}

bool rooms_find_growth(const Bounded *g, CoreAtom size, const CoreName *state, Growth *growth)
{
    *growth = (Growth){0};
    return g->loop->as.loop.index != NULL && grows(g, size, state, growth, 0);
}

/* max x 0 */
static CoreAtom not_negative(CoreBuilder *b, CoreAtom x)
{
    return core_let_binary(b, "rows", CORE_MAX, x, core_i64(0));
}

static CoreAtom rows_a_step(const Growth *growth, CoreBuilder *b)
{
    CoreAtom rows = core_i64(0);
    for (size_t i = 0; i < growth->count; i++) {
        rows = core_let_binary(b, "rows", CORE_ADD, rows, not_negative(b, growth->added[i]));
    }
    return rows;
}

CoreAtom rooms_added(const Bounded *g, const Growth *growth, CoreBuilder *b)
{
    CoreAtom steps = not_negative(b, g->loop->as.loop.bound);
    return core_let_binary(b, "added", CORE_MUL, steps, rows_a_step(growth, b));
}

CoreAtom rooms_adds_few(const Bounded *g, const Growth *growth, CoreAtom most, CoreBuilder *b)
{
    CoreAtom few = core_bool(true);
    for (size_t i = 0; i < growth->count; i++) { /* so that their sum does not wrap */
        CoreAtom is = core_let_binary(b, "few", CORE_LE, growth->added[i], most);
        few = core_let_binary(b, "few", CORE_AND, few, is);
    }
    CoreAtom rows = core_let_binary(b, "rows", CORE_MAX, rows_a_step(growth, b), core_i64(1));
    CoreAtom steps = core_let_binary(b, "steps", CORE_DIV, most, rows);
    CoreAtom is = core_let_binary(b, "few", CORE_LE, g->loop->as.loop.bound, steps);
    return core_let_binary(b, "few", CORE_AND, few, is);
}
